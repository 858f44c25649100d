{{/* Config Connector makes labels at Google Cloud of the object's own labels. */}}
{{- define "kaas.gcp.labels" -}}
{{ include "kaas.labels" . }}
{{- with .Values.tags }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* A cluster in one zone, or, highly available, in the region. */}}
{{- define "kaas.gcp.location" -}}
{{- if .Values.highAvailability }}{{ .Values.schedulingLocation }}{{ else }}{{ first (.Values.zones | default (list "")) }}{{ end -}}
{{- end }}
