{{/*
Providers take no nodes that are newer than the control plane, so an upgrade has two revisions: the control plane first, the pools when
it is there. (root, kind, api, status): the version that the provider says runs, as long as it is older than the wanted one; empty
otherwise, and wherever there is no cluster.
*/}}
{{- define "kaas.upgradesFrom" -}}
{{- $root := .root -}}
{{- $live := include "kaas.live" (dict "root" $root "api" .api "kind" .kind "name" (include "kaas.prefix" $root)) | fromJson -}}
{{- include "kaas.older" (list (dig "status" .status "" $live) $root.Values.kubernetesVersion) -}}
{{- end }}

{{/* (running, wanted): the running version if its minor is older. What is no version is ignored: semverCompare would fail. */}}
{{- define "kaas.older" -}}
{{- $minor := include "kaas.minor" (index . 0) -}}
{{- if and $minor (semverCompare (printf "<%s" (index . 1)) $minor) -}}
{{- include "kaas.version" (index . 0) -}}
{{- end -}}
{{- end }}

{{/* A whole version, as providers write them (`1.34.2-gke.100`); empty for any other text of a live object. */}}
{{- define "kaas.version" -}}
{{- regexFind "^[0-9]{1,4}([.][0-9]{1,6}){1,2}([-+.][0-9A-Za-z.-]{1,40})?$" (toString .) -}}
{{- end }}

{{/* A time as conditions have it; empty for any other text of a live object. */}}
{{- define "kaas.time" -}}
{{- regexFind "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$" (toString .) -}}
{{- end }}

{{/* `1.34.2-gke.100` -> `1.34`; empty for what is no version. */}}
{{- define "kaas.minor" -}}
{{- regexFind "^[1-9][0-9]{0,3}[.](0|[1-9][0-9]{0,3})" (toString .) -}}
{{- end }}
