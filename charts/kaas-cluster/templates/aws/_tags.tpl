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

{{/*
(root, path): one of the three switches of Auto Mode, which EKS takes all on or all off. EKS reports them as off for clusters that were made without
them, ACK takes that for a difference, and EKS refuses the update that ACK sends then, also one that names all three. So a cluster is made
with all three, and one that is there keeps those that it has: an empty answer stands for none.
*/}}
{{- define "kaas.aws.autoMode" -}}
{{- $live := include "kaas.live" (dict "root" .root "api" "kaas.api.eks" "kind" "Cluster" "name" (include "kaas.prefix" .root)) | fromJson -}}
{{- if not $live }}false
{{- else -}}
{{- $at := get $live "spec" | default dict -}}
{{- range .path }}{{ $at = get $at . | default dict }}{{ end -}}
{{- if hasKey $at "enabled" }}{{ eq (toString (get $at "enabled")) "true" }}{{ end -}}
{{- end -}}
{{- end }}

{{/*
The addresses that reach the public endpoint, as JSON: those that the cluster has, and otherwise all. EKS fills in all for a public endpoint, and keeps
them when it becomes private. ACK compares them with the spec, so without them it would send the same update again and again, which EKS refuses. A private
cluster that never had any has none: EKS reports none.
*/}}
{{- define "kaas.aws.publicCidrs" -}}
{{- $live := include "kaas.live" (dict "root" . "api" "kaas.api.eks" "kind" "Cluster" "name" (include "kaas.prefix" .)) | fromJson -}}
{{- $had := dig "spec" "resourcesVPCConfig" "publicAccessCIDRs" list $live -}}
{{- $wasPublic := eq (toString (dig "spec" "resourcesVPCConfig" "endpointPublicAccess" false $live)) "true" -}}
{{- if $had -}}
{{- toJson $had -}}
{{- else if or (eq (include "kaas.aws.public" .) "true") $wasPublic -}}
["0.0.0.0/0"]
{{- end -}}
{{- end }}
