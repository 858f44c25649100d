{{/* Adds the disks of a list, as the operator has them, to the LUNs by disk and to those in use. In the status they have ids instead of references. */}}
{{- define "vm.azure.addLuns" -}}
{{- $into := . -}}
{{- range .disks -}}
{{- $name := dig "managedDisk" "reference" "name" (dig "managedDisk" "id" "" . | base) . -}}
{{- $lun := int .lun -}}
{{- if not (or (hasKey $into.byDisk $name) (hasKey $into.used (toString $lun))) -}}
{{- $_ := set $into.byDisk $name $lun -}}
{{- $_ := set $into.used (toString $lun) true -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/*
(root, live): the LUN of each disk, by the name of its resource. Azure refuses another disk at a LUN in use, also if the one before goes in the same
request. So a disk of a machine that is there keeps its LUN, and a new one gets the lowest that is free both at Azure (the status) and in
the machine's spec. Where these differ, Azure refused the spec. Without a machine the disks are numbered in their order.
*/}}
{{- define "vm.azure.luns" -}}
{{- $prefix := include "vm.prefix" .root -}}
{{- $known := dict "byDisk" dict "used" dict -}}
{{- range $part := list "status" "spec" -}}
{{- $disks := dig $part "storageProfile" "dataDisks" list $.live -}}
{{- include "vm.azure.addLuns" (dict "byDisk" $known.byDisk "used" $known.used "disks" $disks) -}}
{{- end -}}
{{- $luns := dict -}}
{{- range .root.Values.disks -}}
{{- $name := printf "%s-%s" $prefix .name -}}
{{- if not (hasKey $known.byDisk $name) -}}
{{- range until 64 | reverse -}}
{{- if not (hasKey $known.used (toString .)) }}{{ $_ := set $known.byDisk $name . }}{{ end -}}
{{- end -}}
{{- $_ := set $known.used (toString (get $known.byDisk $name)) true -}}
{{- end -}}
{{- $_ := set $luns $name (get $known.byDisk $name) -}}
{{- end -}}
{{- $luns | toJson -}}
{{- end }}
