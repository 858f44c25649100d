{{/* Size of the boot disk in GiB: the smallest that every image fits on, or what the user says. */}}
{{- define "vm.osDiskSize" -}}
{{- dig "sizeGiB" 30 (.Values.osDisk | default dict) -}}
{{- end }}
{{- define "vm.osDiskType" -}}
{{- dig "type" "balanced" (.Values.osDisk | default dict) -}}
{{- end }}

{{/* Each takes a type of the schema: standard, balanced or premium. */}}
{{- define "vm.azure.diskType" -}}
{{- get (dict "standard" "Standard_LRS" "balanced" "StandardSSD_LRS" "premium" "Premium_LRS") . -}}
{{- end }}
{{- define "vm.aws.diskType" -}}
{{- get (dict "standard" "gp2" "balanced" "gp3" "premium" "io2") . -}}
{{- end }}

{{- define "vm.gcp.diskType" -}}
{{- get (dict "standard" "pd-standard" "balanced" "pd-balanced" "premium" "pd-ssd") . -}}
{{- end }}

{{/* io2 wants its speed named: 50 operations per second and GiB, at least 100 and at most 16000. */}}
{{- define "vm.aws.ebs" -}}
volumeSize: {{ .size }}
volumeType: {{ include "vm.aws.diskType" .type }}
{{- if eq .type "premium" }}
iops: {{ max 100 (min 16000 (mul 50 .size)) }}
{{- end }}
encrypted: true
deleteOnTermination: {{ ne (.deletionPolicy | default "delete") "retain" }}
{{- end }}

{{/*
The device of the system disk, by which the image of a machine is known to have it: another name would give it one more volume. Debian and
Amazon Linux use this name, others that of Ubuntu.
*/}}
{{- define "vm.aws.rootDevice" -}}
{{- $isNamed := regexMatch "^resolve:ssm:/aws/service/(debian|ami-amazon-linux-latest)/" (.Values.image | default "") -}}
{{- or $isNamed (hasPrefix "debian" (.Values.os | default "")) | ternary "/dev/xvda" "/dev/sda1" -}}
{{- end }}
