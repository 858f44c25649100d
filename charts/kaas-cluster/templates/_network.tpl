{{/* Networks of the cluster where the user names none. They overlap neither each other nor what the providers reserve. */}}
{{- define "kaas.nodeCidr" -}}
{{- dig "nodeCidr" "10.0.0.0/16" (.Values.network | default dict) -}}
{{- end }}
{{- define "kaas.podCidr" -}}
{{- dig "podCidr" "10.64.0.0/14" (.Values.network | default dict) -}}
{{- end }}
{{- define "kaas.serviceCidr" -}}
{{- dig "serviceCidr" "172.20.0.0/16" (.Values.network | default dict) -}}
{{- end }}

{{/* The first address of a network as a number. */}}
{{- define "kaas.firstAddress" -}}
{{- $value := 0 -}}
{{- range splitList "." (index (splitList "/" .) 0) -}}
{{- $value = add (mul $value 256) (int .) -}}
{{- end -}}
{{- $value -}}
{{- end }}

{{/* A number as an address. */}}
{{- define "kaas.address" -}}
{{- $value := int64 . -}}
{{- printf "%d.%d.%d.%d" (div $value 16777216) (mod (div $value 65536) 256) (mod (div $value 256) 256) (mod $value 256) -}}
{{- end }}

{{/* (cidr, index): the quarter of a network with this index. */}}
{{- define "kaas.quarter" -}}
{{- $length := add (int (index (splitList "/" .cidr) 1)) 2 | int -}}
{{- $size := 1 -}}
{{- range until (sub 32 $length | int) -}}
{{- $size = mul $size 2 -}}
{{- end -}}
{{- $first := add (include "kaas.firstAddress" .cidr | int64) (mul .index $size) -}}
{{- printf "%s/%d" (include "kaas.address" $first) $length -}}
{{- end }}

{{/* The address of the cluster's DNS service: the tenth of the services' network. */}}
{{- define "kaas.dnsAddress" -}}
{{- include "kaas.address" (add (include "kaas.firstAddress" (include "kaas.serviceCidr" .) | int64) 10) -}}
{{- end }}
