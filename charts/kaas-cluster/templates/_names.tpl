{{/* The composition's name; the release's where helm is run by hand. */}}
{{- define "kaas.composition" -}}
{{- dig "compositionName" .Release.Name (.Values.global | default dict) -}}
{{- end }}

{{/*
Prefix of every resource's name. Providers want a letter first and know no dots, which Kubernetes allows in a name; quote
it wherever it stands alone, since it may read `true` or `null`.
*/}}
{{- define "kaas.prefix" -}}
{{- $name := include "kaas.composition" . | replace "." "-" -}}
{{- regexMatch "^[a-z]" $name | ternary $name (printf "k8s-%s" $name) | trunc 44 | trimAll "-" -}}
{{- end }}

{{/*
Name at the provider, unique in an account: two namespaces may use the same name, and ASO and Config Connector take over
a resource of the same name. Pure: made of the composition's uid, or of its namespace and name where helm is run by hand.
At most 36 characters: Google Cloud gives a cluster 40.
*/}}
{{- define "kaas.cloudName" -}}
{{- $id := dig "compositionId" "" (.Values.global | default dict) -}}
{{- $seed := $id | default (printf "%s/%s" .Release.Namespace (include "kaas.composition" .)) -}}
{{- printf "%s-%s" (include "kaas.prefix" . | trunc 27 | trimSuffix "-") (sha256sum $seed | trunc 8) -}}
{{- end }}

{{/*
The resource group that AKS makes for the nodes. AKS names it MC_GROUP_CLUSTER_REGION, and refuses a cluster for which that has more than 80
characters (rancher/rancher, issue 8980). It cannot change, so it is named only where no cluster can exist without it. Empty: AKS names it.
*/}}
{{- define "kaas.azure.nodeResourceGroup" -}}
{{- $name := include "kaas.cloudName" . -}}
{{- if gt (len (printf "MC_%s_%s_%s" $name $name .Values.schedulingLocation)) 80 }}MC_{{ $name }}{{ end -}}
{{- end }}

{{/* The Secret that holds the kubeconfig under the key `kubeconfig`, whatever the provider. */}}
{{- define "kaas.kubeconfigSecret" -}}
{{- include "kaas.prefix" . }}-kubeconfig
{{- end }}

{{- define "kaas.labels" -}}
app.kubernetes.io/name: kaas-cluster
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
landfall.dev/composition: {{ include "kaas.composition" . | quote }}
{{- end }}

{{/* The location within Elemento: ovh-fr-gravelines is region fr-gravelines of provider ovh. */}}
{{- define "kaas.elementoProvider" -}}
{{- (splitn "-" 2 .Values.schedulingLocation)._0 -}}
{{- end }}
{{- define "kaas.elementoRegion" -}}
{{- (splitn "-" 2 .Values.schedulingLocation)._1 -}}
{{- end }}
