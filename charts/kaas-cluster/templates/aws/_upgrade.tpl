{{/*
What ACK says of the live cluster, as JSON: `since`, the time of its ACK.ResourceSynced, and `synced`, whether EKS has all that the spec says.
ACK leaves ResourceSynced True, and gives it a new time, also where EKS refused an update: then ACK.Recoverable or ACK.Terminal is True, and
Ready is not. One error says nothing of an upgrade: ACK sends the fields of Auto Mode last, and of a cluster without it EKS refuses them.
*/}}
{{- define "kaas.aws.said" -}}
{{- $live := include "kaas.live" (dict "root" . "api" "kaas.api.eks" "kind" "Cluster" "name" (include "kaas.prefix" .)) | fromJson -}}
{{- $of := dict -}}
{{- range dig "status" "conditions" list $live -}}
{{- $_ := set $of (toString .type) . -}}
{{- end -}}
{{- $synced := get $of "ACK.ResourceSynced" | default dict -}}
{{- $again := get $of "ACK.Recoverable" | default dict -}}
{{- $refused := eq (dig "ACK.Terminal" "status" "" $of) "True" -}}
{{- if not $refused -}}
{{- if eq (toString (get $again "status")) "True" -}}
{{- $ofAutoMode := "type for cluster update was not provided|(Cannot modify|No changes needed for) EKS Auto Mode configuration" -}}
{{- $refused = not (regexMatch $ofAutoMode (toString (get $again "message"))) -}}
{{- else -}}
{{- $refused = ne (dig "Ready" "status" "True" $of) "True" -}}
{{- end -}}
{{- end -}}
{{- $since := include "kaas.time" (get $synced "lastTransitionTime") | default "never" -}}
{{- dict "since" $since "synced" (and (eq (toString (get $synced "status")) "True") (not $refused)) | toJson -}}
{{- end }}

{{/*
EKS takes no node group that is newer than its control plane, so an upgrade has two revisions: the control plane first, the
pools when it is there. The answer is JSON: `from`, the version before, and `synced`, since when ACK said before the change that
the cluster is synced. Both are in an annotation of the cluster until ACK says so again; ACK's conditions have no generation, but
a new time at every look. An empty answer: no upgrade is underway.
*/}}
{{- define "kaas.aws.upgrade" -}}
{{- $live := include "kaas.live" (dict "root" . "api" "kaas.api.eks" "kind" "Cluster" "name" (include "kaas.prefix" .)) | fromJson -}}
{{- $version := include "kaas.version" (dig "spec" "version" "" $live) -}}
{{- $begun := dig "metadata" "annotations" "landfall.dev/upgrades" "" $live | default "{}" | fromJson -}}
{{- $from := include "kaas.version" (get $begun "from") -}}
{{- $before := include "kaas.time" (get $begun "synced") | default "never" -}}
{{- $said := include "kaas.aws.said" . | fromJson -}}
{{- $done := and $said.synced (ne $said.since $before) -}}
{{- if and $version (ne $version .Values.kubernetesVersion) -}}
{{- dict "from" ($from | default $version) "synced" $said.since | toJson -}}
{{- else if and $from (not $done) -}}
{{- dict "from" $from "synced" $before | toJson -}}
{{- end -}}
{{- end }}

{{/* (pool, root): the live node group of the pool; empty where there is none. */}}
{{- define "kaas.aws.livePool" -}}
{{- $name := printf "%s-%s" (include "kaas.prefix" .root) .pool.name -}}
{{- include "kaas.live" (dict "root" .root "api" "kaas.api.eks" "kind" "Nodegroup" "name" $name) -}}
{{- end }}

{{/* (pool, root): whether ACK gave up a node group for its version: it acts again only when the spec changes, or after 10 hours. */}}
{{- define "kaas.aws.gaveUp" -}}
{{- range dig "status" "conditions" list (include "kaas.aws.livePool" . | fromJson) -}}
{{- if and (eq (toString .type) "ACK.Terminal") (eq (toString .status) "True") (regexMatch "(?i)\\bversion\\b" (toString .message)) }}true{{ end -}}
{{- end -}}
{{- end }}

{{/*
(pool, root): whether `releaseVersion` is written, empty, which is none for ACK. It takes back the release that ACK wrote. And where ACK gave
up for the version and the cluster is there by now, it is written in turn and left out: each is another spec, so that ACK looks again.
*/}}
{{- define "kaas.aws.noRelease" -}}
{{- $spec := dig "spec" dict (include "kaas.aws.livePool" . | fromJson) -}}
{{- if get $spec "releaseVersion" }}true
{{- else if and (not (hasKey $spec "releaseVersion")) (include "kaas.aws.gaveUp" .) (include "kaas.aws.said" .root | fromJson).synced }}true
{{- end -}}
{{- end }}

{{/* Whether ACK gave up one of the pools for its version, and waits with it for the cluster. */}}
{{- define "kaas.aws.poolsWait" -}}
{{- if not (include "kaas.aws.said" . | fromJson).synced -}}
{{- range .Values.nodePools }}{{ include "kaas.aws.gaveUp" (dict "pool" . "root" $) }}{{ end -}}
{{- end -}}
{{- end }}

{{/* (pool, root): the pool's version. While the control plane is upgraded, it keeps its own; a new one gets the version before. */}}
{{- define "kaas.aws.poolVersion" -}}
{{- $upgrade := include "kaas.aws.upgrade" .root -}}
{{- if $upgrade -}}
{{- $live := include "kaas.aws.livePool" . | fromJson -}}
{{- include "kaas.version" (dig "spec" "version" "" $live) | default (get (fromJson $upgrade) "from") -}}
{{- else -}}
{{- .root.Values.kubernetesVersion -}}
{{- end -}}
{{- end }}
