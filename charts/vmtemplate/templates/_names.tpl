{{/* The composition's name; the release's where helm is run by hand. */}}
{{- define "vm.composition" -}}
{{- dig "compositionName" .Release.Name (.Values.global | default dict) -}}
{{- end }}

{{/*
Prefix of every resource's name. Providers want a letter first and know no dots, which Kubernetes allows in a name; quote
it wherever it stands alone, since it may read `true` or `null`.
*/}}
{{- define "vm.prefix" -}}
{{- $name := .Values.vmName | default (include "vm.composition" .) | replace "." "-" -}}
{{- regexMatch "^[a-z]" $name | ternary $name (printf "vm-%s" $name) | trunc 44 | trimAll "-" -}}
{{- end }}

{{/*
Name at the provider, unique in an account: two namespaces may use the same name, and ASO and Config Connector take over
a resource of the same name. Pure: made of the composition's uid, or of its namespace and name where helm is run by hand.
At most 42 characters: Google Cloud takes 63, and a disk's own name may follow with 21.
*/}}
{{- define "vm.cloudName" -}}
{{- $id := dig "compositionId" "" (.Values.global | default dict) -}}
{{- $seed := $id | default (printf "%s/%s" .Release.Namespace (include "vm.composition" .)) -}}
{{- printf "%s-%s" (include "vm.prefix" . | trunc 33 | trimSuffix "-") (sha256sum $seed | trunc 8) -}}
{{- end }}

{{- define "vm.labels" -}}
app.kubernetes.io/name: vm-template
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
landfall.dev/composition: {{ include "vm.composition" . | quote }}
{{- end }}

{{/* The location within Elemento: ovh-fr-gravelines is region fr-gravelines of provider ovh. */}}
{{- define "vm.elementoProvider" -}}
{{- (splitn "-" 2 .Values.schedulingLocation)._0 -}}
{{- end }}
{{- define "vm.elementoRegion" -}}
{{- (splitn "-" 2 .Values.schedulingLocation)._1 -}}
{{- end }}
