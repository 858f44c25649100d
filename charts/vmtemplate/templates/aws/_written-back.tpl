{{/* The live Instance of this release; empty before the installation, and wherever there is no cluster. */}}
{{- define "vm.aws.live" -}}
{{- include "vm.live" (dict "root" . "api" "vm.api.ec2" "kind" "Instance" "name" (include "vm.prefix" .)) -}}
{{- end }}

{{/*
(root, live): whether this revision leaves out the disks. ACK strips them from the spec when it has made the machine, and makes one that somebody
terminated again from the spec: without its disks. Helm 4 and Landfall's controller put them back. Helm 3, with which Krateo
installs, writes only what differs from the manifest before: so every second revision leaves them out until they are there.
*/}}
{{- define "vm.aws.dropsDisks" -}}
{{- $stripped := and .live (not (dig "spec" "blockDeviceMappings" list .live)) -}}
{{- if and $stripped (include "vm.comparesManifests" .root) (mod .root.Release.Revision 2) }}true{{ end -}}
{{- end }}

{{/* Whether Helm compares a manifest with the one before, and not with what is live. */}}
{{- define "vm.comparesManifests" -}}
{{- if hasPrefix "v3." .Capabilities.HelmVersion.Version }}true{{ end -}}
{{- end }}
