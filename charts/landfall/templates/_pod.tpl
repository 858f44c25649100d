{{/* Parts of every Pod. */}}
{{- define "landfall.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "landfall.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{/* Takes the root and the process's values. */}}
{{- define "landfall.podCommon" -}}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- if .root.Values.priorityClass.name }}
priorityClassName: {{ .root.Values.priorityClass.name }}
{{- end }}
securityContext:
  {{- include "landfall.podSecurity" .root | nindent 2 }}
enableServiceLinks: false
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Replicas on different nodes and in different zones, where there are several. Takes the root and the component. */}}
{{- define "landfall.spread" -}}
topologySpreadConstraints:
{{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "landfall.selector" $ | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end }}

{{/* What every process that talks to a registry mounts. */}}
{{- define "landfall.registryMounts" -}}
{{- if .Values.registry.dockerConfigSecret }}
- name: docker
  mountPath: /etc/landfall/docker
  readOnly: true
{{- end }}
{{- end }}

{{- define "landfall.registryVolumes" -}}
{{- if .Values.registry.dockerConfigSecret }}
- name: docker
  secret:
    secretName: {{ .Values.registry.dockerConfigSecret }}
    items:
      - key: .dockerconfigjson
        path: config.json
{{- end }}
{{- end }}

{{/* The files that sources of forecasts read: tokens, and forecasts that another process writes. */}}
{{- define "landfall.forecastMounts" -}}
{{- if .Values.forecastsSecret }}
- name: forecasts
  mountPath: /etc/landfall/forecasts
  readOnly: true
{{- end }}
{{- end }}

{{- define "landfall.forecastVolumes" -}}
{{- if .Values.forecastsSecret }}
- name: forecasts
  secret:
    secretName: {{ .Values.forecastsSecret }}
{{- end }}
{{- end }}

{{- define "landfall.registryEnvironment" -}}
{{- if .Values.registry.dockerConfigSecret }}
- name: DOCKER_CONFIG
  value: /etc/landfall/docker
{{- end }}
{{- if .Values.registry.ca }}
- name: SSL_CERT_FILE
  value: /etc/landfall/config/registry-ca.crt
{{- end }}
{{- end }}

{{- define "landfall.baseEnvironment" -}}
- name: HOME
  value: /var/lib/landfall
- name: NODE_COMPILE_CACHE
  value: /var/lib/landfall/compiled
{{- end }}

{{/* The standard variables of OpenTelemetry. Takes the root and the component. */}}
{{- define "landfall.tracingEnvironment" -}}
{{- with .root.Values.tracing }}
{{- if .endpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ .endpoint | quote }}
- name: OTEL_EXPORTER_OTLP_PROTOCOL
  value: {{ .protocol }}
- name: OTEL_SERVICE_NAME
  value: landfall-{{ $.component }}
- name: OTEL_TRACES_SAMPLER
  value: {{ .sampler }}
{{- if .samplerShare }}
- name: OTEL_TRACES_SAMPLER_ARG
  value: {{ .samplerShare | quote }}
{{- end }}
{{- if .headersSecret }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom:
    secretKeyRef: { name: {{ .headersSecret }}, key: headers, optional: true }
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "landfall.baseMounts" -}}
- name: data
  mountPath: /var/lib/landfall
- name: tmp
  mountPath: /tmp
{{- end }}

{{- define "landfall.baseVolumes" -}}
- name: data
  emptyDir:
    sizeLimit: 2Gi
- name: tmp
  emptyDir:
    sizeLimit: 1Gi
{{- end }}
