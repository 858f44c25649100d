{{/* (pool, root): the fields that a pool has in the cluster as well as on its own. */}}
{{- define "kaas.azure.pool" -}}
{{- $pool := .pool -}}
vmSize: {{ include "kaas.poolType" . | quote }}
osType: Linux
osDiskSizeGB: {{ include "kaas.poolDisk" $pool }}
type: VirtualMachineScaleSets
{{- if include "kaas.poolScales" $pool }}
enableAutoScaling: true
minCount: {{ include "kaas.poolLeast" $pool }}
maxCount: {{ include "kaas.poolMost" $pool }}
{{- else }}
# Said, so that a pool whose min and max are removed scales no more.
enableAutoScaling: false
count: {{ include "kaas.poolLeast" $pool }}
{{- end }}
orchestratorVersion: {{ include "kaas.azure.poolVersion" . | quote }}
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
