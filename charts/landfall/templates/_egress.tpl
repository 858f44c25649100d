{{/* TCP ports that the processes connect to: those of the values, and those in the references and URLs that they are given. As JSON. */}}
{{- define "landfall.egressPorts" -}}
{{- $v := .Values }}
{{- $ports := list }}
{{- range $v.networkPolicy.egressPorts }}{{ $ports = append $ports (int .) }}{{ end }}
{{- $named := list $v.bundle.ref $v.charts.repository $v.webhook.scheduler.url $v.webhook.decisionLog.target $v.tracing.endpoint }}
{{- range ($v.bundle.settings.bundles | default list) }}{{ $named = append $named (.ref | default "") }}{{ end }}
{{- range concat ($v.forecasts.sources | default list) ($v.forecasts.measured | default list) }}{{ $named = append $named (.url | default "") }}{{ end }}
{{- if $v.elemento.enabled }}{{ $named = concat $named $v.elemento.allowedUrls }}{{ end }}
{{- range $named }}
{{- /* A name without a host is none: its colon begins a tag. */}}
{{- if contains "/" . }}
{{- $host := regexReplaceAll "^[a-z]+://" . "" | splitList "/" | first }}
{{- $port := regexFind ":[0-9]+$" $host | trimPrefix ":" }}
{{- if $port }}
{{- $ports = append $ports (int $port) }}
{{- else if hasPrefix "http://" . }}
{{- $ports = append $ports 80 }}
{{- end }}
{{- end }}
{{- end }}
{{- if $v.registry.plainHttp }}{{ $ports = append $ports 80 }}{{ end }}
{{- $ports | uniq | sortAlpha | toJson }}
{{- end }}
