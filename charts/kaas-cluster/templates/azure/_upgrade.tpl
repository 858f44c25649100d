{{/* The version of a control plane that is upgraded, as AKS says; empty if none is. */}}
{{- define "kaas.azure.upgrade" -}}
{{- include "kaas.upgradesFrom" (dict "root" . "api" "kaas.api.containers" "kind" "ManagedCluster" "status" "currentKubernetesVersion") -}}
{{- end }}

{{/* (pool, root): the version that the resource of the pool has; empty for a pool without one. */}}
{{- define "kaas.azure.ownVersion" -}}
{{- $prefix := include "kaas.prefix" .root -}}
{{- $name := .pool.name -}}
{{- $own := dig "spec" "orchestratorVersion" "" (include "kaas.live" (dict "root" .root "api" "kaas.api.containers" "kind" "ManagedClustersAgentPool" "name" (printf "%s-%s" $prefix $name)) | fromJson) -}}
{{- range dig "spec" "agentPoolProfiles" list (include "kaas.live" (dict "root" .root "api" "kaas.api.containers" "kind" "ManagedCluster" "name" $prefix) | fromJson) -}}
{{- if and (eq .name $name) (not $own) }}{{ $own = .orchestratorVersion | default "" }}{{ end -}}
{{- end -}}
{{- include "kaas.version" $own -}}
{{- end }}

{{/*
(pool, root): the pool's version. While the control plane is upgraded, it keeps its own. A pool that is new to a cluster gets the whole version
of its control plane: AKS takes a minor version for the newest patch, which may be newer than the control plane's, and refuses that. A pool
keeps what it was given; for one that is there, AKS takes its minor version for no change.
*/}}
{{- define "kaas.azure.poolVersion" -}}
{{- $root := .root -}}
{{- $wanted := $root.Values.kubernetesVersion -}}
{{- $own := include "kaas.azure.ownVersion" . -}}
{{- $control := include "kaas.live" (dict "root" $root "api" "kaas.api.containers" "kind" "ManagedCluster" "name" (include "kaas.prefix" $root)) | fromJson -}}
{{- $runs := include "kaas.version" (dig "status" "currentKubernetesVersion" "" $control) -}}
{{- $isNew := not (or $own (include "kaas.azure.livePool" . | fromJson)) -}}
{{- if include "kaas.azure.upgrade" $root -}}
{{- $own | default $runs -}}
{{- else if eq (include "kaas.minor" $own) $wanted -}}
{{- $own -}}
{{- else if and $isNew (eq (include "kaas.minor" $runs) $wanted) -}}
{{- $runs -}}
{{- else -}}
{{- $wanted -}}
{{- end -}}
{{- end }}
