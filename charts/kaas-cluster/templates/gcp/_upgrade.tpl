{{/* The version of a control plane that is upgraded, as GKE says; empty if none is. */}}
{{- define "kaas.gcp.upgrade" -}}
{{- include "kaas.upgradesFrom" (dict "root" . "api" "kaas.api.gke" "kind" "ContainerCluster" "status" "masterVersion") -}}
{{- end }}

{{/*
(pool, root): the pool's version, always whole (`1.35.3-gke.100`): GKE answers a minor version with a whole one, and Config Connector would see a
difference at every look. Empty while neither the pool nor its control plane says what it runs: a pool that is created without a version gets
its control plane's. Empty as well where GKE upgrades the nodes: Config Connector ignores a version beside auto-upgrades (legacygcpmanagedfields.go),
and would otherwise put an upgrade of GKE back. While the control plane is upgraded, a pool keeps its own; a new one gets the version before.
*/}}
{{- define "kaas.gcp.poolVersion" -}}
{{- $wanted := .root.Values.kubernetesVersion -}}
{{- $running := include "kaas.gcp.upgrade" .root -}}
{{- $control := include "kaas.live" (dict "root" .root "api" "kaas.api.gke" "kind" "ContainerCluster" "name" (include "kaas.prefix" .root)) | fromJson -}}
{{- $name := printf "%s-%s" (include "kaas.prefix" .root) .pool.name -}}
{{- $live := include "kaas.live" (dict "root" .root "api" "kaas.api.gke" "kind" "ContainerNodePool" "name" $name) | fromJson -}}
{{- $own := include "kaas.version" (dig "status" "observedState" "version" "" $live) -}}
{{- $whole := include "kaas.version" (dig "status" "masterVersion" "" $control) -}}
{{- if include "kaas.gcp.upgradesNodes" .root -}}
{{- else if $running -}}
{{- $own | default $running -}}
{{- else if eq (include "kaas.minor" $own) $wanted -}}
{{- $own -}}
{{- else if eq (include "kaas.minor" $whole) $wanted -}}
{{- $whole -}}
{{- end -}}
{{- end }}

{{/* (pool, root): whether the live node pool has taints in its spec, or an empty list of them. */}}
{{- define "kaas.gcp.hadTaints" -}}
{{- $name := printf "%s-%s" (include "kaas.prefix" .root) .pool.name -}}
{{- $live := include "kaas.live" (dict "root" .root "api" "kaas.api.gke" "kind" "ContainerNodePool" "name" $name) | fromJson -}}
{{- if hasKey (dig "spec" "nodeConfig" dict $live) "taint" }}true{{ end -}}
{{- end }}
