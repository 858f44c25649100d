{{/*
The versions of the operators' APIs, in one place because ASO renames its own with each generation. Served by ASO 2.11 to
2.21, ACK v1alpha1, Config Connector v1beta1. The pages of the providers have the oldest version of each operator.
*/}}
{{- define "kaas.api.resources" -}}resources.azure.com/v1api20200601{{- end }}
{{- define "kaas.api.network" -}}network.azure.com/v1api20240301{{- end }}
{{- define "kaas.api.containers" -}}containerservice.azure.com/v1api20240901{{- end }}
{{- define "kaas.api.ec2" -}}ec2.services.k8s.aws/v1alpha1{{- end }}
{{- define "kaas.api.eks" -}}eks.services.k8s.aws/v1alpha1{{- end }}
{{- define "kaas.api.iam" -}}iam.services.k8s.aws/v1alpha1{{- end }}
{{- define "kaas.api.compute" -}}compute.cnrm.cloud.google.com/v1beta1{{- end }}
{{- define "kaas.api.gke" -}}container.cnrm.cloud.google.com/v1beta1{{- end }}
{{- define "kaas.api.elemento" -}}elemento.landfall.dev/v1alpha1{{- end }}
