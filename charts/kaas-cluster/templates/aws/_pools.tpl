{{/*
(pool, root): whether the node group names its cluster instead of referring to it. ACK finds a node group by the name of the cluster, and resolves a
reference only to a cluster that is synced and not terminal: one that is deleted at another moment is taken for gone, and runs on at EKS. But a node
group that names a cluster which EKS does not have yet is refused, so a new one refers to it.
*/}}
{{- define "kaas.aws.namesCluster" -}}
{{- $pool := include "kaas.aws.livePool" . | fromJson -}}
{{- if or (dig "spec" "clusterName" "" $pool) (dig "status" "ackResourceMetadata" "arn" "" $pool) }}true
{{- else if and $pool (include "kaas.aws.said" .root | fromJson).synced }}true
{{- end -}}
{{- end }}

{{/* What the cluster awaits, as JSON: that EKS has each node group which only refers to a cluster that is there. It names the cluster then. */}}
{{- define "kaas.aws.awaitedPools" -}}
{{- $prefix := include "kaas.prefix" . -}}
{{- $live := include "kaas.live" (dict "root" . "api" "kaas.api.eks" "kind" "Cluster" "name" $prefix) | fromJson -}}
{{- $awaits := list -}}
{{- if dig "status" "endpoint" "" $live -}}
{{- range .Values.nodePools -}}
{{- if not (include "kaas.aws.namesCluster" (dict "pool" . "root" $)) -}}
{{- $awaits = append $awaits (printf "eks.services.k8s.aws/Nodegroup/%s-%s:status.ackResourceMetadata.arn" $prefix .name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $awaits -}}
{{- end }}
