{{/* (name, root): EC2 and IAM take a list; AWS shows the tag Name; the user's tags follow. */}}
{{- define "kaas.aws.tags" -}}
- key: Name
  value: {{ .name | quote }}
{{- range $key, $value := .root.Values.tags }}
- key: {{ $key | quote }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* Every subnet of the cluster, as a pool and the cluster itself refer to them. */}}
{{- define "kaas.aws.subnetRefs" -}}
{{- range .Values.zones }}
- from:
    name: {{ include "kaas.prefix" $ }}-{{ . }}
{{- end }}
{{- end }}
