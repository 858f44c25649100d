{{/* What each operator does with its resource when the release goes: `deletionPolicy: retain` keeps the machine running. */}}
{{- define "vm.azure.annotations" -}}
serviceoperator.azure.com/reconcile-policy: {{ eq (.Values.deletionPolicy | default "delete") "retain" | ternary "detach-on-delete" "manage" }}
{{- end }}

{{/* Those of a data disk that stays although the machine goes, or goes with it: a list of the values and the disk. */}}
{{- define "vm.azure.diskAnnotations" -}}
serviceoperator.azure.com/reconcile-policy: {{ has "retain" (list (index . 0).deletionPolicy (index . 1).deletionPolicy) | ternary "detach-on-delete" "manage" }}
{{- end }}
{{- define "vm.gcp.diskAnnotations" -}}
cnrm.cloud.google.com/deletion-policy: {{ has "retain" (list (index . 0).deletionPolicy (index . 1).deletionPolicy) | ternary "abandon" "delete" }}
cnrm.cloud.google.com/state-into-spec: absent
{{- end }}

{{/* The disks that stay when a machine is deleted that does not stay itself; empty if there is none. */}}
{{- define "vm.keepsDisks" -}}
{{- range .Values.disks }}{{ if eq (.deletionPolicy | default "delete") "retain" }}yes{{ end }}{{ end -}}
{{- end }}

{{- define "vm.aws.annotations" -}}
services.k8s.aws/region: {{ .Values.schedulingLocation | quote }}
services.k8s.aws/deletion-policy: {{ .Values.deletionPolicy | default "delete" }}
{{- end }}

{{/* The project is the namespace's own annotation cnrm.cloud.google.com/project-id. */}}
{{- define "vm.gcp.annotations" -}}
cnrm.cloud.google.com/deletion-policy: {{ eq (.Values.deletionPolicy | default "delete") "retain" | ternary "abandon" "delete" }}
cnrm.cloud.google.com/state-into-spec: absent
{{- end }}
