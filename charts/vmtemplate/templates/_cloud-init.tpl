{{/* Without merge_how, only one of two parts that both name keys would count: the user's own keys stay beside this one. */}}
{{- define "vm.sshCloudConfig" -}}
#cloud-config
merge_how: list(append)+dict(no_replace,recurse_list)+str()
ssh_authorized_keys:
  - {{ .Values.sshPublicKey | quote }}
{{- end }}

{{/*
User data for providers that take a key only by cloud-init: the user's part and the key's part as one MIME message, which
cloud-init merges; either alone as it is. The boundary is made of the content, so that equal values give equal bytes.
*/}}
{{- define "vm.userDataWithKey" -}}
{{- if and .Values.userData .Values.sshPublicKey -}}
{{- $boundary := printf "landfall-%s" (printf "%s%s" .Values.userData .Values.sshPublicKey | sha256sum | trunc 16) -}}
Content-Type: multipart/mixed; boundary="{{ $boundary }}"
MIME-Version: 1.0

--{{ $boundary }}
Content-Type: {{ include "vm.userDataType" . }}; charset="utf-8"
MIME-Version: 1.0

{{ .Values.userData }}
--{{ $boundary }}
Content-Type: text/cloud-config; charset="utf-8"
MIME-Version: 1.0

{{ include "vm.sshCloudConfig" . }}
--{{ $boundary }}--
{{ else if .Values.sshPublicKey -}}
{{ include "vm.sshCloudConfig" . }}
{{ else -}}
{{ .Values.userData }}
{{- end -}}
{{- end }}

{{/* What has no other type is text/plain: cloud-init then looks at its first line (#include, ## template: jinja, …). */}}
{{- define "vm.userDataType" -}}
{{- if hasPrefix "#!" .Values.userData }}text/x-shellscript
{{- else if hasPrefix "#cloud-config\n" .Values.userData }}text/cloud-config
{{- else }}text/plain{{ end -}}
{{- end }}

{{/*
Azure creates no machine without a login. Where the user names no key, this one is used, for which nobody has the private
half: its curve point is derived by hashing a public sentence (test/unit/charts/locked-key.test.ts derives it again).
*/}}
{{- define "vm.azure.sshKey" -}}
{{- .Values.sshPublicKey | default "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGacqHB2NS+iEQRKfdVUjea4eMg0HBDBVxr+6fdgvgBS locked" -}}
{{- end }}

{{/* The token with which a machine of Elemento reports the completion of its run; empty if it is not asked to. */}}
{{- define "vm.reportToken" -}}
{{- dig "report" "token" "" (.Values.global | default dict) -}}
{{- end }}

{{/* A program that reports the exit code in its first argument. Other users of the machine see no token in its arguments. */}}
{{- define "vm.reportScript" -}}
#!/bin/sh
exec curl --config - --data "{\"exitCode\": ${1:-0}}" <<'END'
url = "{{ .Values.global.report.url }}"
header = "Authorization: Bearer {{ .Values.global.report.token }}"
header = "Content-Type: application/json"
fail
silent
show-error
retry = 30
retry-delay = 20
retry-connrefused
max-time = 20
END
{{ end }}

{{/*
User data that reports the completion of the run. A script of the user is run by one that then reports its exit code. Beside any other
user data stands a part that installs /usr/local/sbin/landfall-report, for the work to call.
*/}}
{{- define "vm.userDataWithReport" -}}
{{- if hasPrefix "#!" (.Values.userData | default "") -}}
#!/bin/sh
umask 077
folder=$(mktemp -d)
base64 -d > "$folder/work" <<'END'
{{ .Values.userData | b64enc }}
END
base64 -d > "$folder/report" <<'END'
{{ include "vm.reportScript" . | b64enc }}
END
chmod 700 "$folder/work" "$folder/report"
"$folder/work"
code=$?
"$folder/report" "$code"
exit "$code"
{{ else if .Values.userData -}}
{{- $boundary := printf "landfall-%s" (.Values.userData | sha256sum | trunc 16) -}}
Content-Type: multipart/mixed; boundary="{{ $boundary }}"
MIME-Version: 1.0

--{{ $boundary }}
Content-Type: {{ include "vm.userDataType" . }}; charset="utf-8"
MIME-Version: 1.0

{{ .Values.userData }}
--{{ $boundary }}
Content-Type: text/cloud-config; charset="utf-8"
MIME-Version: 1.0

{{ include "vm.reportCloudConfig" . }}
--{{ $boundary }}--
{{ else -}}
{{ include "vm.reportCloudConfig" . }}
{{ end -}}
{{- end }}

{{- define "vm.reportCloudConfig" -}}
#cloud-config
merge_how: list(append)+dict(no_replace,recurse_list)+str()
write_files:
  - path: /usr/local/sbin/landfall-report
    permissions: "0700"
    encoding: b64
    content: {{ include "vm.reportScript" . | b64enc }}
{{- end }}
