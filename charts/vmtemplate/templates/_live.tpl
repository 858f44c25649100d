{{/*
(root, api, kind, name): the live object, as JSON; empty wherever there is no cluster. It is asked for once in a rendering. Its texts have no line breaks and no control
characters: who may write the object or its status would otherwise write whole objects into the manifest. Read nothing live but by this.
*/}}
{{- define "vm.live" -}}
{{- $values := .root.Values -}}
{{- $key := printf "%s/%s" .kind .name -}}
{{- $read := get $values "liveObjects" | default dict -}}
{{- if not (hasKey $read $key) -}}
{{- $live := lookup (include .api .root) .kind .root.Release.Namespace .name | default dict -}}
{{- $text := regexReplaceAll `(\\["\\/])|\\(?:[nrtbf]|u[0-9a-fA-F]{4})|[\x{85}\x{2028}\x{2029}]` (toJson $live) "${1}" -}}
{{- $_ := set $values "liveObjects" (set $read $key $text) -}}
{{- end -}}
{{- get $read $key -}}
{{- end }}
