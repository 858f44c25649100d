{{/*
The objects of a plain file of this chart, in the namespace of the release and with its labels. Takes the root, the file, and
annotations for its ServiceAccounts.
*/}}
{{- define "landfall.objects" -}}
{{- $root := .root -}}
{{- $annotations := .annotations | default dict -}}
{{- range splitList "\n---\n" (.root.Files.Get .file) }}
{{- $object := fromYaml . }}
{{- if not $object.kind }}{{ fail (printf "%s has a document without a kind: %s" $.file (toJson $object)) }}{{ end }}
{{- $_ := set $object.metadata "labels" (merge (fromYaml (include "landfall.labels" $root)) ($object.metadata.labels | default dict)) }}
{{- if $object.metadata.namespace }}
{{- $_ := set $object.metadata "namespace" $root.Release.Namespace }}
{{- end }}
{{- if and (eq $object.kind "ServiceAccount") $annotations }}
{{- $_ := set $object.metadata "annotations" $annotations }}
{{- end }}
{{- range $object.subjects }}
{{- $_ := set . "namespace" $root.Release.Namespace }}
{{- end }}
---
{{ toYaml $object }}
{{- end }}
{{- end }}
