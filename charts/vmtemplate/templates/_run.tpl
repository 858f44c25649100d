{{/* Seconds of a duration as the schema has it: 3h, 1d12h, PT90M, P1DT2H. */}}
{{- define "vm.seconds" -}}
{{- $text := . | lower | replace "p" "" | replace "t" "" -}}
{{- $sum := 0 -}}
{{- range $unit, $seconds := dict "w" 604800 "d" 86400 "h" 3600 "m" 60 "s" 1 -}}
{{- $count := regexFind (printf "[0-9]+%s" $unit) $text | trimSuffix $unit | default "0" -}}
{{- $sum = add $sum (mul (int64 $count) $seconds) -}}
{{- end -}}
{{- $sum -}}
{{- end }}

{{/*
`off` while the composition controller keeps the machine stopped in a pause or after its run, `deleted` in a pause for which the machine is
deleted and everything else stays, `on` if it started it again, `as-is` if a machine that
somebody stopped is to be left alone; else empty.
*/}}
{{- define "vm.power" -}}
{{- dig "powerState" "" (.Values.global | default dict) -}}
{{- end }}

{{/*
Seconds of the provider's own limit: a quarter of an hour after maxLifetime. Empty without a maxLifetime, and beyond the 120 days that
Google Cloud allows. https://cloud.google.com/compute/docs/instances/limit-vm-runtime
*/}}
{{- define "vm.runLimit" -}}
{{- with .Values.maxLifetime -}}
{{- $limit := add (include "vm.seconds" . | int64) 900 -}}
{{- if le $limit 10368000 }}{{ $limit }}{{ end -}}
{{- end -}}
{{- end }}

{{/* What the machine is bought as: on-demand or spot. Admission has chosen where both are allowed. */}}
{{- define "vm.capacity" -}}
{{- $asked := .Values.capacity | default "on-demand" -}}
{{- .Values.capacityType | default (eq $asked "spot" | ternary "spot" "on-demand") -}}
{{- end }}

{{/*
State that Config Connector keeps the machine of a run in. Empty: as it is. With RUNNING it would start a machine again that shut itself
down or reached maxRunDuration. https://registry.terraform.io/providers/hashicorp/google/latest/docs/resources/compute_instance
*/}}
{{- define "vm.gcp.desiredStatus" -}}
{{- $power := include "vm.power" . -}}
{{- $isRun := or .Values.duration .Values.maxLifetime (ne (.Values.whenDone | default "keep") "keep") -}}
{{- if eq $power "off" }}TERMINATED{{ else if eq $power "as-is" }}{{ else if or (eq $power "on") (not $isRun) }}RUNNING{{ end -}}
{{- end }}
