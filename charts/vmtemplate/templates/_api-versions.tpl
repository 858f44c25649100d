{{/*
The versions of the operators' APIs, in one place because ASO renames its own with each generation. Served by ASO 2.11 (network) to
2.21, ACK v1alpha1, Config Connector v1beta1. The pages of the providers have the oldest version of each operator.
*/}}
{{- define "vm.api.resources" -}}resources.azure.com/v1api20200601{{- end }}
{{- define "vm.api.network" -}}network.azure.com/v1api20240301{{- end }}
{{- define "vm.api.compute" -}}compute.azure.com/v1api20220301{{- end }}
{{- define "vm.api.disk" -}}compute.azure.com/v1api20240302{{- end }}
{{- define "vm.api.ec2" -}}ec2.services.k8s.aws/v1alpha1{{- end }}
{{- define "vm.api.gcp" -}}compute.cnrm.cloud.google.com/v1beta1{{- end }}
{{- define "vm.api.elemento" -}}elemento.landfall.dev/v1alpha1{{- end }}
