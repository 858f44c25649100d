{{/* What each operator does with its resource when the release goes: `deletionPolicy: retain` keeps the cluster running. */}}
{{- define "kaas.azure.annotations" -}}
serviceoperator.azure.com/reconcile-policy: {{ eq (.Values.deletionPolicy | default "delete") "retain" | ternary "detach-on-delete" "manage" }}
{{- end }}

{{- define "kaas.aws.annotations" -}}
services.k8s.aws/region: {{ .Values.schedulingLocation | quote }}
services.k8s.aws/deletion-policy: {{ .Values.deletionPolicy | default "delete" }}
{{- end }}

{{/* The project is the namespace's own annotation cnrm.cloud.google.com/project-id. */}}
{{- define "kaas.gcp.annotations" -}}
cnrm.cloud.google.com/deletion-policy: {{ eq (.Values.deletionPolicy | default "delete") "retain" | ternary "abandon" "delete" }}
cnrm.cloud.google.com/state-into-spec: absent
{{- end }}
