{{/* The channel of a cluster that Google has made, as its resource says; empty for none. */}}
{{- define "kaas.gcp.liveChannel" -}}
{{- $live := include "kaas.live" (dict "root" . "api" "kaas.api.gke" "kind" "ContainerCluster" "name" (include "kaas.prefix" .)) | fromJson -}}
{{- if dig "status" "masterVersion" "" $live }}{{ regexFind "^[A-Z_]{1,20}$" (dig "spec" "releaseChannel" "channel" "" $live | toString) }}{{ end -}}
{{- end }}

{{/*
The channel that the cluster is to be in: the one that its user names, that of a cluster that is there, or Google's default. Google takes no new
cluster without a channel. One that an earlier chart made without one (UNSPECIFIED) keeps that until its user names one, or Google enrols it.
*/}}
{{- define "kaas.gcp.wantedChannel" -}}
{{- with .Values.releaseChannel }}{{ upper . }}{{ else }}{{ include "kaas.gcp.liveChannel" . | default "REGULAR" }}{{ end -}}
{{- end }}

{{/* (pool, root): the live node pool, once Google has made it; empty before. As JSON. */}}
{{- define "kaas.gcp.livePool" -}}
{{- $name := printf "%s-%s" (include "kaas.prefix" .root) .pool.name -}}
{{- $live := include "kaas.live" (dict "root" .root "api" "kaas.api.gke" "kind" "ContainerNodePool" "name" $name) | fromJson -}}
{{- if dig "status" "instanceGroupUrls" list $live }}{{ toJson $live }}{{ end -}}
{{- end }}

{{/*
What a cluster without a channel waits for before it enters one, as the annotation landfall.dev/awaits has it: in a channel, GKE takes no pool
without auto-upgrades, and Config Connector changes no pool while its cluster is not ready. So the pools are first. Empty for all others.
*/}}
{{- define "kaas.gcp.enrolsAfter" -}}
{{- $root := . -}}
{{- $awaits := list -}}
{{- if and (eq (include "kaas.gcp.liveChannel" .) "UNSPECIFIED") (ne (include "kaas.gcp.wantedChannel" .) "UNSPECIFIED") -}}
{{- range $pool := .Values.nodePools -}}
{{- $live := include "kaas.gcp.livePool" (dict "pool" $pool "root" $root) | default "{}" | fromJson -}}
{{- $since := "" -}}
{{- range (dig "status" "conditions" list $live) }}{{ if and (eq .type "Ready") (eq .status "True") }}{{ $since = include "kaas.time" .lastTransitionTime }}{{ end }}{{ end -}}
{{- $seen := eq (dig "status" "observedGeneration" -1 $live | int) (dig "metadata" "generation" 0 $live | int) -}}
{{- if and $live (not (and (dig "spec" "management" "autoUpgrade" false $live) $since $seen)) -}}
{{- $path := printf "container.cnrm.cloud.google.com/ContainerNodePool/%s-%s:status.conditions[Ready]" (include "kaas.prefix" $root) $pool.name -}}
{{- $awaits = append $awaits (empty $since | ternary $path (printf "%s!=%s" $path $since)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- join ", " $awaits -}}
{{- end }}

{{/* The channel that is rendered now. */}}
{{- define "kaas.gcp.channel" -}}
{{- if include "kaas.gcp.enrolsAfter" . }}UNSPECIFIED{{ else }}{{ include "kaas.gcp.wantedChannel" . }}{{ end -}}
{{- end }}

{{/* Whether GKE upgrades the nodes: always in a channel. */}}
{{- define "kaas.gcp.upgradesNodes" -}}
{{- if ne (include "kaas.gcp.wantedChannel" .) "UNSPECIFIED" }}true{{ end -}}
{{- end }}
