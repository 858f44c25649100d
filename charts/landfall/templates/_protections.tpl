{{/* What these values leave open, one line each, as a list in JSON. NOTES.txt shows them. */}}
{{- define "landfall.protectionsOff" -}}
{{- $v := .Values }}
{{- $settings := $v.bundle.settings }}
{{- $open := list }}
{{- if $v.bundle.unsigned }}
{{- $open = append $open "bundle.unsigned is true: whoever can write to the registry decides. Use it for tests only." }}
{{- end }}
{{- range $other := ($settings.bundles | default list) }}
{{- if has ($other.signatures | default "required") (list "optional" "off") }}
{{- $open = append $open (printf "bundle.settings.bundles: signatures of %s are %s: whoever can write to its registry decides." $other.name $other.signatures) }}
{{- end }}
{{- end }}
{{- if not $v.krateo.enabled }}
{{- if ne ($v.controller.chartSettings.signatures | default (ternary "required" "missing" (not (empty $v.controller.chartSettings)))) "required" }}
{{- $open = append $open "controller.chartSettings requires no signatures: charts are pinned at their first use, and not verified before." }}
{{- end }}
{{- end }}
{{- if and $v.console.enabled (not $v.console.tlsSecret) }}
{{- $open = append $open "console.tlsSecret is missing: whoever is on the way from the proxy to the console reads its users' tokens." }}
{{- end }}
{{- if $v.registry.plainHttp }}
{{- $open = append $open "registry.plainHttp is true: whoever is on the way to the registry reads and changes its answers." }}
{{- end }}
{{- $urls := list (dict "name" "webhook.decisionLog.target" "url" $v.webhook.decisionLog.target) (dict "name" "webhook.scheduler.url" "url" $v.webhook.scheduler.url) (dict "name" "tracing.endpoint" "url" $v.tracing.endpoint) }}
{{- range $source := concat ($v.forecasts.sources | default list) ($v.forecasts.measured | default list) }}
{{- $urls = append $urls (dict "name" (printf "forecasts: url of %s" $source.name) "url" ($source.url | default "")) }}
{{- end }}
{{- if $v.elemento.enabled }}
{{- range $url := $v.elemento.allowedUrls }}
{{- $urls = append $urls (dict "name" (printf "elemento.allowedUrls: %s" $url) "url" $url) }}
{{- end }}
{{- end }}
{{- range $one := $urls }}
{{- if and (hasPrefix "http://" (lower $one.url)) (not (regexMatch "^http://(localhost|127\\.0\\.0\\.1|\\[::1\\])([:/]|$)" (lower $one.url))) }}
{{- $open = append $open (printf "%s has no TLS: whoever is on the way reads tokens and contents, and changes answers." $one.name) }}
{{- end }}
{{- end }}
{{- if $v.charts.insecureSkipVerifyTLS }}
{{- $open = append $open "charts.insecureSkipVerifyTLS is true: any server can pose as the charts' repository. registry.ca names a CA of your own." }}
{{- end }}
{{- if and $v.krateo.enabled (not $v.krateo.admissionPolicies) }}
{{- $open = append $open "krateo.admissionPolicies is false: tenants can write release Secrets, and Krateo installs objects without a decision." }}
{{- end }}
{{- if not $v.networkPolicy.enabled }}
{{- $open = append $open "networkPolicy.enabled is false: the processes' ports are open to every Pod, and they may connect to any address." }}
{{- else if not (or $v.networkPolicy.apiServerCidrs $v.networkPolicy.apiServerPods $v.networkPolicy.podCidrs) }}
{{- $open = append $open "Every Pod of the cluster can connect to the webhook: name those who may with networkPolicy.apiServerCidrs, apiServerPods or podCidrs." }}
{{- end }}
{{- if $v.webhook.hostNetwork }}
{{- $open = append $open "webhook.hostNetwork is true: NetworkPolicies may not apply to the webhook's Pods. Let a firewall of the nodes admit only the API server to port 8443." }}
{{- end }}
{{- if eq $v.webhook.failurePolicy "Ignore" }}
{{- $open = append $open "webhook.failurePolicy is Ignore: objects that are created while no webhook answers have no decision, and are not installed." }}
{{- end }}
{{- if $v.webhook.allowSelectors }}
{{- $open = append $open "webhook.allowSelectors is true: objects and namespaces can be taken out of the webhook's configuration." }}
{{- end }}
{{- if not $v.providerObjects.enforce }}
{{- $open = append $open "providerObjects.enforce is false: users with rights on the providers' own kinds create them without a decision." }}
{{- end }}
{{- toJson $open }}
{{- end }}
