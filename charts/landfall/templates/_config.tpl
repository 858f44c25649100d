{{/* The files that both processes with a bundle read. */}}
{{- define "landfall.bundleFiles" -}}
{{- if .Values.bundle.settings }}
bundle-settings.yaml: |
  {{- toYaml .Values.bundle.settings | nindent 2 }}
{{- end }}
{{- range $name, $text := .Values.bundle.keys }}
{{ $name }}: |
  {{- $text | nindent 2 }}
{{- end }}
{{- with .Values.forecasts }}
forecast-settings.yaml: |
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.registry.ca }}
registry-ca.crt: |
  {{- . | nindent 2 }}
{{- end }}
{{- end }}

{{/* How the registries of bundles and charts are reached. */}}
{{- define "landfall.registryArguments" -}}
- --crane=/usr/local/bin/crane
{{- if .Values.registry.ca }}
- --ca=/etc/landfall/config/registry-ca.crt
{{- end }}
{{- end }}

{{- define "landfall.bundleArguments" -}}
- --bundle={{ .Values.bundle.ref }}
{{- if .Values.bundle.settings }}
- --bundle-settings=/etc/landfall/config/bundle-settings.yaml
{{- else }}
- --unsigned
{{- end }}
{{- if .Values.registry.plainHttp }}
- --plain-http
{{- end }}
{{- if .Values.forecasts }}
- --forecast-settings=/etc/landfall/config/forecast-settings.yaml
{{- end }}
{{- end }}

{{- define "landfall.webhookConfig" -}}
{{- with .Values.webhook.clientCertificate.ca }}
api-server-ca.crt: |
  {{- . | nindent 2 }}
{{- end }}
{{ include "landfall.bundleFiles" . }}
{{- end }}

{{- define "landfall.controllerConfig" -}}
{{- if .Values.controller.chartSettings }}
chart-settings.yaml: |
  {{- toYaml .Values.controller.chartSettings | nindent 2 }}
{{- end }}
{{- range $name, $text := .Values.controller.chartKeys }}
{{ $name }}: |
  {{- $text | nindent 2 }}
{{- end }}
{{ include "landfall.bundleFiles" . }}
{{- end }}

{{/* Folder below /etc/landfall: the Secret that it shows. */}}
{{- define "landfall.webhookSecrets" -}}
{{- $webhook := .Values.webhook -}}
{{- $secrets := dict "tls" $webhook.tls.existingSecret "status" $webhook.statusTokenSecret "poll" $webhook.pollTokenSecret -}}
{{- if $webhook.scheduler.url }}{{ $_ := set $secrets "scheduler" $webhook.scheduler.tokenSecret }}{{ end -}}
{{- if $webhook.decisionLog.target }}{{ $_ := set $secrets "decision-log" $webhook.decisionLog.tokenSecret }}{{ end -}}
{{- range $name, $secret := $secrets }}
{{- if $secret }}
{{ $name }}: {{ $secret }}
{{- end }}
{{- end }}
{{- end }}
