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

{{/*
The entries of `ports` as JSON, those of one protocol and range as one with all their networks: EC2 reports them so, ACK before 1.19.0 takes that for
a difference in each look, and a later one closes both for a moment when another entry changes.
*/}}
{{- define "vm.aws.openings" -}}
{{- $found := list -}}
{{- $at := dict -}}
{{- range .Values.ports -}}
{{- $opening := dict "protocol" (.protocol | default "tcp") "from" .port "to" (.toPort | default .port) -}}
{{- $key := toJson $opening -}}
{{- if not (hasKey $at $key) -}}
{{- $_ := set $at $key (set $opening "cidrs" list) -}}
{{- $found = append $found $opening -}}
{{- end -}}
{{- $one := get $at $key -}}
{{- $_ := set $one "cidrs" (concat $one.cidrs (.cidrs | default (list "0.0.0.0/0")) | uniq) -}}
{{- end -}}
{{- toJson $found -}}
{{- end }}
