{{/*
`off` while the composition controller keeps the machine stopped in a pause or after its run, `deleted` in a pause for which the machine is
deleted and everything else stays, `on` if it started it again, `as-is` if a machine that
somebody stopped is to be left alone; else empty.
*/}}
{{- define "vm.power" -}}
{{- dig "powerState" "" (.Values.global | default dict) -}}
{{- end }}

{{/* What the machine is bought as: on-demand or spot. Admission has chosen where both are allowed. */}}
{{- define "vm.capacity" -}}
{{- $asked := .Values.capacity | default "on-demand" -}}
{{- .Values.capacityType | default (eq $asked "spot" | ternary "spot" "on-demand") -}}
{{- end }}

{{/* Whether the object is a run: its machine may shut itself down when its work is done. */}}
{{- define "vm.isRun" -}}
{{- if or .Values.duration .Values.maxLifetime (ne (.Values.whenDone | default "keep") "keep") }}true{{ end -}}
{{- end }}

{{/*
State that Config Connector keeps the machine of a run in. Empty: as it is. With RUNNING it would start a machine again that shut itself
down. https://registry.terraform.io/providers/hashicorp/google/latest/docs/resources/compute_instance
*/}}
{{- define "vm.gcp.desiredStatus" -}}
{{- $power := include "vm.power" . -}}
{{- $isRun := include "vm.isRun" . -}}
{{- if eq $power "off" }}TERMINATED{{ else if eq $power "as-is" }}{{ else if or (eq $power "on") (not $isRun) }}RUNNING{{ end -}}
{{- end }}

{{/* State in which Elemento's operator keeps the machine; empty for its default, running. It starts no machine of a run that shut itself down. */}}
{{- define "vm.elemento.powerState" -}}
{{- $power := include "vm.power" . -}}
{{- if eq $power "off" }}off{{ else if or (eq $power "as-is") (and (include "vm.isRun" .) (ne $power "on")) }}as-is{{ end -}}
{{- end }}
