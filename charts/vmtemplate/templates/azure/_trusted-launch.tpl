{{/* The live machine of this release; empty before the installation, and wherever there is no cluster. */}}
{{- define "vm.azure.live" -}}
{{- include "vm.live" (dict "root" . "api" "vm.api.compute" "kind" "VirtualMachine" "name" (include "vm.prefix" .)) -}}
{{- end }}

{{/*
(values, live): whether the machine starts with trusted launch: images of generation 2, by their names, on sizes that have it. A machine that
is there keeps what it has, since Azure does not change it while the machine runs.
*/}}
{{- define "vm.azure.trustedLaunch" -}}
{{- $sku := index (splitList ":" (printf "%s:::" (.values.image | default ""))) 2 -}}
{{- $second := and (regexMatch "(gen2|^server$)" $sku) (not (contains "arm64" $sku)) -}}
{{- $fits := and $second (not (hasPrefix "Standard_M" (.values.instanceType | default ""))) -}}
{{- if .live -}}
{{- if eq (dig "spec" "securityProfile" "securityType" "" .live) "TrustedLaunch" }}true{{ end -}}
{{- else if $fits }}true{{ end -}}
{{- end }}
