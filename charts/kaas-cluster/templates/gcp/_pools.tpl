{{/*
(pool, root): the zones for the nodes of a pool in a cluster of a whole region, separated by commas; empty if all zones have the type, so that GKE
takes those of the cluster. A pool that is there keeps its own, whatever another version of the table says: GKE would move its nodes.
*/}}
{{- define "kaas.gcp.poolZones" -}}
{{- $live := include "kaas.gcp.livePool" . | default "{}" | fromJson -}}
{{- if and .root.Values.highAvailability $live -}}
{{- join "," (dig "spec" "nodeLocations" list $live) -}}
{{- else if .root.Values.highAvailability -}}
{{- $type := include "kaas.poolType" . }}
{{- $region := .root.Values.schedulingLocation }}
{{- $found := false }}
{{- range $rule := (.root.Files.Get "files/gcp-zones.yaml" | fromYamlArray) }}
{{- if and (not $found) (regexMatch $rule.match $type) }}
{{- $found = true }}
{{- $zones := list }}
{{- range (get $rule.zones $region | default list) }}{{ $zones = append $zones (printf "%s-%s" $region .) }}{{ end }}
{{- join "," $zones }}
{{- end }}
{{- end }}
{{- end -}}
{{- end }}

{{/* (pool, root): zones among which GKE divides the nodes of a pool, the same number in each: a region's clusters have three unless they name others. */}}
{{- define "kaas.gcp.zones" -}}
{{- if not .root.Values.highAvailability }}1{{ else }}
{{- with include "kaas.gcp.poolZones" . }}{{ splitList "," . | len }}{{ else }}3{{ end }}
{{- end -}}
{{- end }}

{{/*
(pool, root): the numbers of a pool's nodes. GKE's autoscaler enforces no limit: it adds nodes when pods wait, and removes them when they can be
emptied. So a count is written as one, where the zones divide it. Config Connector leaves autoscaling on where its spec no longer has it, and
ignores `nodeCount` beside it: a pool that scaled keeps its limits. `initialNodeCount` is refused if it changes, so a pool that is there keeps it,
or has none.
*/}}
{{- define "kaas.gcp.poolNodes" -}}
{{- $zones := include "kaas.gcp.zones" . | int -}}
{{- $least := include "kaas.poolLeast" .pool | int -}}
{{- $most := include "kaas.poolMost" .pool | int -}}
{{- $name := printf "%s-%s" (include "kaas.prefix" .root) .pool.name -}}
{{- $live := include "kaas.live" (dict "root" .root "api" "kaas.api.gke" "kind" "ContainerNodePool" "name" $name) | fromJson -}}
{{- $found := dig "spec" dict $live -}}
{{- $fixed := not (or (include "kaas.poolScales" .pool) (hasKey $found "autoscaling")) -}}
{{- if and $fixed (eq 0 (mod $least $zones)) -}}
nodeCount: {{ div $least $zones }}
{{- else -}}
{{- if .root.Values.highAvailability -}}
# A plain count holds per zone; the totals hold for the pool, which is what the specification means.
autoscaling:
  totalMinNodeCount: {{ $least }}
  totalMaxNodeCount: {{ $most }}
  locationPolicy: BALANCED
{{- else -}}
autoscaling:
  minNodeCount: {{ $least }}
  maxNodeCount: {{ $most }}
{{- end }}
{{- $each := div (add $least $zones -1) $zones | int }}
{{- if gt (mul $each $zones | int) $most }}{{ $each = div $least $zones | int }}{{ end }}
{{- if $live }}{{ $each = get $found "initialNodeCount" | default 0 | int }}{{ end }}
{{- if gt $each 0 }}
initialNodeCount: {{ $each }}
{{- end }}
{{- end }}
{{- end }}
