{{/* Each takes a pool of the schema. Without count and max, a pool has one node. */}}
{{- define "kaas.poolScales" -}}
{{- if hasKey . "max" }}true{{ end -}}
{{- end }}
{{- define "kaas.poolLeast" -}}
{{- if hasKey . "max" }}{{ .min | default 0 }}{{ else }}{{ hasKey . "count" | ternary .count 1 }}{{ end -}}
{{- end }}
{{- define "kaas.poolMost" -}}
{{- if hasKey . "max" }}{{ .max }}{{ else }}{{ hasKey . "count" | ternary .count 1 }}{{ end -}}
{{- end }}
{{- define "kaas.poolDisk" -}}
{{- .diskGiB | default 64 -}}
{{- end }}

{{/* (pool, root): the instance type that admission decided for the pool. */}}
{{- define "kaas.poolType" -}}
{{- get (.root.Values.poolInstanceTypes | default dict) .pool.name | required (printf "poolInstanceTypes names no type for the pool %s: Landfall's admission fills it in; set it to render the chart by hand" .pool.name) -}}
{{- end }}

{{/* AWS and Google Cloud write effects in capitals. */}}
{{- define "kaas.effect" -}}
{{- get (dict "NoSchedule" "NO_SCHEDULE" "PreferNoSchedule" "PREFER_NO_SCHEDULE" "NoExecute" "NO_EXECUTE") . -}}
{{- end }}
