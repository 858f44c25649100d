{{/*
EKS takes no node group that is newer than its control plane, so an upgrade has two revisions: the control plane first, the
pools when it is there. The answer is JSON: `from`, the version before, and `synced`, since when ACK said before the change that
the cluster is synced. Both are in an annotation of the cluster until ACK says so again; ACK's conditions have no generation, but
a new time at every look. An empty answer: no upgrade is underway.
*/}}
{{- define "kaas.aws.upgrade" -}}
{{- $live := lookup (include "kaas.api.eks" .) "Cluster" .Release.Namespace (include "kaas.prefix" .) | default dict -}}
{{- $version := dig "spec" "version" "" $live -}}
{{- $begun := dig "metadata" "annotations" "landfall.dev/upgrades" "" $live -}}
{{- $synced := dict -}}
{{- range dig "status" "conditions" list $live -}}
{{- if eq .type "ACK.ResourceSynced" }}{{ $synced = . }}{{ end -}}
{{- end -}}
{{- $since := get $synced "lastTransitionTime" | default "never" -}}
{{- $upgrade := $begun | default "{}" | fromJson -}}
{{- $done := and (eq (get $synced "status") "True") (ne $since (get $upgrade "synced")) -}}
{{- if and $version (ne $version .Values.kubernetesVersion) -}}
{{- dict "from" (get $upgrade "from" | default $version) "synced" $since | toJson -}}
{{- else if and $begun (not $done) -}}
{{- $begun -}}
{{- end -}}
{{- end }}

{{/* (pool, root): the live node group of the pool; empty where there is none. */}}
{{- define "kaas.aws.livePool" -}}
{{- $name := printf "%s-%s" (include "kaas.prefix" .root) .pool.name -}}
{{- lookup (include "kaas.api.eks" .root) "Nodegroup" .root.Release.Namespace $name | default dict | toJson -}}
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
{{- dig "spec" "version" "" $live | default (get (fromJson $upgrade) "from") -}}
{{- else -}}
{{- .root.Values.kubernetesVersion -}}
{{- end -}}
{{- end }}
