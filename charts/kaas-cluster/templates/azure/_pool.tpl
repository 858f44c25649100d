{{/* (pool, root): whether the pool is the first, which is the cluster's system pool. */}}
{{- define "kaas.azure.isSystem" -}}
{{- if eq .pool.name (first .root.Values.nodePools).name }}true{{ end -}}
{{- end }}

{{/* (pool, root): the least number of nodes. AKS wants one at least in a system pool. */}}
{{- define "kaas.azure.least" -}}
{{- $least := include "kaas.poolLeast" .pool | int -}}
{{- if include "kaas.azure.isSystem" . }}{{ max 1 $least }}{{ else }}{{ $least }}{{ end -}}
{{- end }}

{{/*
(pool, root): the status of the live pool, an empty one where there is none. The first one of a cluster that an earlier chart made has only
that in the cluster's.
*/}}
{{- define "kaas.azure.livePool" -}}
{{- $prefix := include "kaas.prefix" .root -}}
{{- $name := .pool.name -}}
{{- $live := dig "status" dict (include "kaas.live" (dict "root" .root "api" "kaas.api.containers" "kind" "ManagedClustersAgentPool" "name" (printf "%s-%s" $prefix $name)) | fromJson) -}}
{{- if and (not (hasKey $live "count")) (include "kaas.azure.isSystem" .) -}}
{{- range dig "status" "agentPoolProfiles" list (include "kaas.live" (dict "root" .root "api" "kaas.api.containers" "kind" "ManagedCluster" "name" $prefix) | fromJson) -}}
{{- if eq .name $name }}{{ $live = . }}{{ end -}}
{{- end -}}
{{- end -}}
{{- toJson $live -}}
{{- end }}

{{/*
Whether AKS has the cluster with its pools. From then on, each pool is changed by its own resource alone: with those of some pools, AKS takes
no version in the resource of the cluster (Azure/ARO-HCP, pull request 662).
*/}}
{{- define "kaas.azure.hasPools" -}}
{{- $live := include "kaas.live" (dict "root" . "api" "kaas.api.containers" "kind" "ManagedCluster" "name" (include "kaas.prefix" .)) | fromJson -}}
{{- if dig "status" "agentPoolProfiles" list $live }}true{{ end -}}
{{- end }}

{{/*
(pool, root): the number of nodes with which a pool begins to scale: the one that it has, within its limits, or the least. AKS refuses a
pool without it that is new or had a fixed number of nodes. Empty once AKS scales the pool: the operator sends the resource every hour,
and a number would undo what the autoscaler did.
*/}}
{{- define "kaas.azure.seed" -}}
{{- if include "kaas.poolScales" .pool -}}
{{- $live := include "kaas.azure.livePool" . | fromJson -}}
{{- if not (and (get $live "enableAutoScaling") (hasKey $live "count")) -}}
{{- $least := include "kaas.azure.least" . | int -}}
{{- get $live "count" | default $least | int | max $least | min (include "kaas.poolMost" .pool | int) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* (pool, root): the value that says that AKS scales the pool; empty where nothing has to be rendered again then. */}}
{{- define "kaas.azure.awaitsScaling" -}}
{{- if include "kaas.azure.seed" . -}}
{{- $name := printf "%s-%s" (include "kaas.prefix" .root) .pool.name -}}
{{- printf "containerservice.azure.com/ManagedClustersAgentPool/%s:status.enableAutoScaling!=false" $name -}}
{{- end -}}
{{- end }}

{{/* (pool, root): the fields that a pool has in a new cluster as well as on its own. */}}
{{- define "kaas.azure.pool" -}}
{{- $pool := .pool -}}
vmSize: {{ include "kaas.poolType" . | quote }}
osType: Linux
osDiskSizeGB: {{ include "kaas.poolDisk" $pool }}
type: VirtualMachineScaleSets
{{- if include "kaas.poolScales" $pool }}
enableAutoScaling: true
minCount: {{ include "kaas.azure.least" . }}
maxCount: {{ include "kaas.poolMost" $pool }}
{{- with include "kaas.azure.seed" . }}
# AKS takes no new pool without it; the autoscaler has it from then on.
count: {{ . }}
{{- end }}
{{- else }}
# Said, so that a pool whose min and max are removed scales no more.
enableAutoScaling: false
count: {{ include "kaas.azure.least" . }}
{{- end }}
{{- with .root.Values.zones }}
availabilityZones: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $pool.labels }}
nodeLabels: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $pool.taints }}
nodeTaints:
  {{- range . }}
  - {{ printf "%s=%s:%s" .key (.value | default "") .effect | quote }}
  {{- end }}
{{- end }}
vnetSubnetReference:
  group: network.azure.com
  kind: VirtualNetworksSubnet
  name: {{ include "kaas.prefix" .root }}-subnet
{{- with .root.Values.tags }}
tags: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
