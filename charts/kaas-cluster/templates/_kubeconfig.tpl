{{/*
(root, endpoint, authority, exec): the Secret with a kubeconfig made of what the provider's operator wrote into the status
of the cluster, for providers whose operators write none. The one thing of this chart that asks the cluster: nothing is
rendered until the endpoint and its authority exist, nor where there is no cluster. It holds no token: `exec` names the
provider's own program, which gets one for whoever uses it.
*/}}
{{- define "kaas.kubeconfigManifest" -}}
{{- if .authority }}
{{- $name := include "kaas.prefix" .root }}
apiVersion: v1
kind: Secret
metadata:
  name: {{ include "kaas.kubeconfigSecret" .root }}
  namespace: {{ .root.Release.Namespace | quote }}
  labels: {{- include "kaas.labels" .root | nindent 4 }}
type: Opaque
data:
  kubeconfig: {{ include "kaas.kubeconfig" (set . "name" $name) | b64enc }}
{{- end }}
{{- end }}

{{- define "kaas.kubeconfig" -}}
apiVersion: v1
kind: Config
clusters:
  - name: {{ .name | quote }}
    cluster:
      server: {{ .endpoint | quote }}
      certificate-authority-data: {{ .authority | quote }}
users:
  - name: {{ .name | quote }}
    user:
      exec: {{- toYaml .exec | nindent 8 }}
contexts:
  - name: {{ .name | quote }}
    context:
      cluster: {{ .name | quote }}
      user: {{ .name | quote }}
current-context: {{ .name | quote }}
{{ end }}
