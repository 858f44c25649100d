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
{{- $group := lookup (include "vm.api.ec2" .) "SecurityGroup" .Release.Namespace (printf "%s-sg" (include "vm.prefix" .)) -}}
{{- dig "status" "id" "" ($group | default dict) -}}
{{- end }}

{{/*
The groups that the instance has, as JSON: it keeps them until its own group has an id. ACK sends a request without a group otherwise.
*/}}
{{- define "vm.aws.liveGroups" -}}
{{- $machine := lookup (include "vm.api.ec2" .) "Instance" .Release.Namespace (include "vm.prefix" .) -}}
{{- dig "spec" "securityGroupIDs" list ($machine | default dict) | toJson -}}
{{- end }}

{{/*
Whether this release has a security group of its own. One that exists stays when the last port is removed, without rules:
an instance that loses its only group stays as it is, because ACK then sends a request without a group.
*/}}
{{- define "vm.aws.ownGroup" -}}
{{- $network := .Values.network | default dict -}}
{{- if or (not $network.existing) .Values.ports (include "vm.aws.securityGroupId" .) }}true{{ end -}}
{{- end }}
