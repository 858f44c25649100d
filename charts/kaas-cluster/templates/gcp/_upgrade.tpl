{{/* The version of a control plane that is upgraded, as GKE says; empty if none is. */}}
{{- define "kaas.gcp.upgrade" -}}
{{- include "kaas.upgradesFrom" (dict "root" . "api" "kaas.api.gke" "kind" "ContainerCluster" "status" "masterVersion") -}}
{{- end }}

{{/* (pool, root): the pool's version. While the control plane is upgraded, it keeps its own; a new one gets the version before. */}}
{{- define "kaas.gcp.poolVersion" -}}
{{- $running := include "kaas.gcp.upgrade" .root -}}
{{- if $running -}}
{{- $name := printf "%s-%s" (include "kaas.prefix" .root) .pool.name -}}
{{- $live := lookup (include "kaas.api.gke" .root) "ContainerNodePool" .root.Release.Namespace $name | default dict -}}
{{- dig "spec" "version" "" $live | default (include "kaas.minor" $running) -}}
{{- else -}}
{{- .root.Values.kubernetesVersion -}}
{{- end -}}
{{- end }}
