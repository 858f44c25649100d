{{/* (name, root): AWS shows the tag Name; the user's tags follow. */}}
{{- define "vm.aws.tags" -}}
- key: Name
  value: {{ .name | quote }}
{{- range $key, $value := .root.Values.tags }}
- key: {{ $key | quote }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/*
An instance takes its security group only by an id, which exists once AWS has made the group. Empty until then, and wherever there is no cluster.
*/}}
{{- define "vm.aws.securityGroupId" -}}
{{- $name := printf "%s-sg" (include "vm.prefix" .) -}}
{{- $group := include "vm.live" (dict "root" . "api" "vm.api.ec2" "kind" "SecurityGroup" "name" $name) | fromJson -}}
{{- dig "status" "id" "" $group -}}
{{- end }}

{{/*
Whether this release has a security group of its own. One that exists stays when the last port is removed, without rules:
an instance that loses its only group stays as it is, because ACK then sends a request without a group.
*/}}
{{- define "vm.aws.ownGroup" -}}
{{- $network := .Values.network | default dict -}}
{{- if or (not $network.existing) .Values.ports (include "vm.aws.securityGroupId" .) }}true{{ end -}}
{{- end }}
