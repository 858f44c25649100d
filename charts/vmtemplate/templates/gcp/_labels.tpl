{{/* Config Connector makes labels at Google Cloud of the object's own labels. */}}
{{- define "vm.gcp.labels" -}}
{{ include "vm.labels" . }}
{{- with .Values.tags }}
{{ toYaml . }}
{{- end }}
{{- end }}
