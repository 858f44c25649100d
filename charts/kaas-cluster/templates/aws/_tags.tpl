{{/*
(name, root): EC2 and IAM take a list; AWS shows the tag Name; the user's tags follow. IAM takes keys that differ only in their letters' case
for the same one, and refuses both: a user's tag `name` takes the place of ours.
*/}}
{{- define "kaas.aws.tags" -}}
{{- if not (has "name" (.root.Values.tags | default dict | keys | join "\n" | lower | splitList "\n")) }}
- key: Name
  value: {{ .name | quote }}
{{- end }}
{{- range $key, $value := .root.Values.tags }}
- key: {{ $key | quote }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* Every subnet of the cluster, as a pool and the cluster itself refer to them. */}}
{{- define "kaas.aws.subnetRefs" -}}
{{- range .Values.zones }}
- from:
    name: {{ include "kaas.prefix" $ }}-{{ . }}
{{- end }}
{{- end }}

{{/*
Whether the cluster's API server is reached from anywhere: only where the specification asks for it. A cluster that is there
keeps what it has, so that nobody loses access by an upgrade.
*/}}
{{- define "kaas.aws.public" -}}
{{- $live := include "kaas.live" (dict "root" . "api" "kaas.api.eks" "kind" "Cluster" "name" (include "kaas.prefix" .)) | fromJson -}}
{{- if .Values.endpoint -}}
{{- eq .Values.endpoint "public" -}}
{{- else -}}
{{- dig "spec" "resourcesVPCConfig" "endpointPublicAccess" false $live -}}
{{- end -}}
{{- end }}
