{{/* Config Connector makes labels at Google Cloud of the object's own labels. */}}
{{- define "vm.gcp.labels" -}}
{{ include "vm.labels" . }}
{{- with .Values.tags }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/*
The labels of the boot disk are immutable: those of a machine that is there stay, whatever becomes of its tags. A machine without
them gets none.
*/}}
{{- define "vm.gcp.bootLabels" -}}
{{- $live := lookup (include "vm.api.gcp" .) "ComputeInstance" .Release.Namespace (include "vm.prefix" .) -}}
{{- $labels := .Values.tags -}}
{{- if $live }}{{ $labels = dig "spec" "bootDisk" "initializeParams" "labels" dict $live }}{{ end -}}
{{- with $labels -}}
{{ toYaml . }}
{{- end -}}
{{- end }}

{{/* Whether the live machine has disks in its spec, or an empty list of them. */}}
{{- define "vm.gcp.hadDisks" -}}
{{- $live := lookup (include "vm.api.gcp" .) "ComputeInstance" .Release.Namespace (include "vm.prefix" .) | default dict -}}
{{- if hasKey (get $live "spec" | default dict) "attachedDisk" }}true{{ end -}}
{{- end }}
