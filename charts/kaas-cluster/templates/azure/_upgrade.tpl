{{/* The version of a control plane that is upgraded, as AKS says; empty if none is. */}}
{{- define "kaas.azure.upgrade" -}}
{{- include "kaas.upgradesFrom" (dict "root" . "api" "kaas.api.containers" "kind" "ManagedCluster" "status" "currentKubernetesVersion") -}}
{{- end }}

{{/* (pool, root): the pool's version. While the control plane is upgraded, it keeps its own; a new one gets the version before. */}}
{{- define "kaas.azure.poolVersion" -}}
{{- $running := include "kaas.azure.upgrade" .root -}}
{{- if $running -}}
{{- $api := include "kaas.api.containers" .root -}}
{{- $namespace := .root.Release.Namespace -}}
{{- $prefix := include "kaas.prefix" .root -}}
{{- $name := .pool.name -}}
{{- $own := dig "spec" "orchestratorVersion" "" (lookup $api "ManagedClustersAgentPool" $namespace (printf "%s-%s" $prefix $name) | default dict) -}}
{{- range dig "spec" "agentPoolProfiles" list (lookup $api "ManagedCluster" $namespace $prefix | default dict) -}}
{{- if eq .name $name }}{{ $own = .orchestratorVersion }}{{ end -}}
{{- end -}}
{{- $own | default (include "kaas.minor" $running) -}}
{{- else -}}
{{- .root.Values.kubernetesVersion -}}
{{- end -}}
{{- end }}
