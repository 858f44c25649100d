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
{{- $synced := dict -}}
{{- range dig "status" "conditions" list $live -}}
{{- if eq .type "ACK.ResourceSynced" }}{{ $synced = . }}{{ end -}}
{{- end -}}
{{- $since := include "kaas.time" (get $synced "lastTransitionTime") | default "never" -}}
{{- $done := and (eq (get $synced "status") "True") (ne $since $before) -}}
{{- if and $version (ne $version .Values.kubernetesVersion) -}}
{{- dict "from" ($from | default $version) "synced" $since | toJson -}}
{{- else if and $from (not $done) -}}
{{- dict "from" $from "synced" $before | toJson -}}
{{- end -}}
{{- end }}

{{/* (pool, root): the live node group of the pool; empty where there is none. */}}
{{- define "kaas.aws.livePool" -}}
{{- $name := printf "%s-%s" (include "kaas.prefix" .root) .pool.name -}}
{{- include "kaas.live" (dict "root" .root "api" "kaas.api.eks" "kind" "Nodegroup" "name" $name) -}}
{{- end }}

{{/* (pool, root): the release of the node group's machines, which ACK writes into the spec. */}}
{{- define "kaas.aws.release" -}}
{{- dig "spec" "releaseVersion" "" (include "kaas.aws.livePool" . | fromJson) -}}
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
