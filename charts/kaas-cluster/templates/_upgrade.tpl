{{/*
Providers take no nodes that are newer than the control plane, so an upgrade has two revisions: the control plane first, the pools when
it is there. (root, kind, api, status): the version that the provider says runs, as long as it is older than the wanted one; empty
otherwise, and wherever there is no cluster.
*/}}
{{- define "kaas.upgradesFrom" -}}
{{- $root := .root -}}
{{- $live := lookup (include .api $root) .kind $root.Release.Namespace (include "kaas.prefix" $root) | default dict -}}
{{- include "kaas.older" (list (dig "status" .status "" $live) $root.Values.kubernetesVersion) -}}
{{- end }}

{{/* (running, wanted): the running version if its minor is older. What is no version is ignored: semverCompare would fail. */}}
{{- define "kaas.older" -}}
{{- $minor := include "kaas.minor" (index . 0) -}}
{{- if and $minor (semverCompare (printf "<%s" (index . 1)) $minor) -}}
{{- index . 0 -}}
{{- end -}}
{{- end }}

{{/* `1.34.2-gke.100` -> `1.34`; empty for what is no version. */}}
{{- define "kaas.minor" -}}
{{- regexFind "^[1-9][0-9]{0,3}[.](0|[1-9][0-9]{0,3})" (toString .) -}}
{{- end }}
