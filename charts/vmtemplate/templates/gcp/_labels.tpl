{{/* Config Connector makes labels at Google Cloud of the object's own labels. */}}
{{- define "vm.gcp.labels" -}}
{{ include "vm.labels" . }}
{{- with .Values.tags }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The live machine of this release; empty before the installation, and wherever there is no cluster. */}}
{{- define "vm.gcp.live" -}}
{{- include "vm.live" (dict "root" . "api" "vm.api.gcp" "kind" "ComputeInstance" "name" (include "vm.prefix" .)) -}}
{{- end }}

{{/*
(tags, live): the labels of the boot disk are immutable: those of a machine that is there stay, whatever becomes of its tags. A machine
without them gets none.
*/}}
{{- define "vm.gcp.bootLabels" -}}
{{- $labels := .tags -}}
{{- if .live }}{{ $labels = dig "spec" "bootDisk" "initializeParams" "labels" dict .live }}{{ end -}}
{{- with $labels -}}
{{ toYaml . }}
{{- end -}}
{{- end }}

{{/* Whether the live machine has disks in its spec, or an empty list of them. */}}
{{- define "vm.gcp.hadDisks" -}}
{{- if hasKey (get . "spec" | default dict) "attachedDisk" }}true{{ end -}}
{{- end }}
