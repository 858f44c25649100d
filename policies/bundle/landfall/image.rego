# METADATA
# title: Image of a machine
# description: Removes providers without an image of the operating system, or that cannot read the requested image.
package landfall.image

import data.landfall.catalog
import data.landfall.exemption
import data.landfall.images
import data.landfall.latency
import data.landfall.owner
import data.landfall.scope
import data.landfall.settings

_pinned := input.request.pin.image

# METADATA
# description: provider -> image
by_provider[name] := image if {
	_pinned == null
	some name, systems in images.by_provider
	image := systems[scope.os][input.request.arch]
}

by_provider[name] := _pinned if {
	_pinned != null
	some name, pattern in images.notations
	regex.match(pattern, _pinned)
}

# METADATA
# description: True if the rule could remove a place; the step is then shown.
default active := false

active if {
	count(by_provider) < count(images.by_provider)
	not input.request.cluster
}

remaining := latency.remaining if not active

remaining := [id |
	places := catalog.places
	known := by_provider
	some id in latency.remaining
	known[places[id].provider]
] if active

label := concat(" ", ["image", _pinned]) if _pinned != null

label := concat(" ", ["image of", scope.os, "for", input.request.arch]) if _pinned == null

# METADATA
# description: The reason why this rule refuses the only place that the object allows.
refusal(id) := {
	"code": "POL_IMAGE",
	"message": sprintf("%s has no %s", [catalog.places[id].provider, label]),
	"field": _field,
	"actual": _actual,
	"allowed": concat(", ", sort(object.keys(by_provider))),
}

_field := "spec.image" if _pinned != null

_field := "spec.os" if _pinned == null

_actual := _pinned if _pinned != null

_actual := scope.os if _pinned == null

# METADATA
# description: True if the platform's tables have the image that the object names.
is_of_platform if _pinned in {image | some image in images.by_provider[_][_]}

# METADATA
# description: Denials for an image of a project or subscription that is neither the namespace's own nor public nor allowed.
denials contains denial if {
	not exemption.waived.POL_IMAGE_FOREIGN
	_pinned != null
	not is_of_platform
	id := path(lower(_pinned))
	not owner.is_own(id)
	not owner.is_allowed(id, object.get(images, "public", []))
	not owner.is_allowed(id, prefixes)
	denial := {
		"code": "POL_IMAGE_FOREIGN",
		"message": sprintf("namespace %s is not allowed to use the image %s", [input.namespace.name, _pinned]),
		"field": "spec.image",
		"actual": _pinned,
		"allowed": prefixes,
	}
}

# METADATA
# description: Denials for an image of Google Cloud that names no project in one way alone.
denials contains owner.form_denial("spec.image", lower(_pinned), _forms) if _is_of_google

_is_of_google if {
	_pinned != null
	regex.match(object.get(images.notations, "gcp", "^$"), _pinned)
	not is_of_platform
}

_name := `[-_a-z0-9]+`

_short := {"pattern": sprintf("%s/%s", [owner.project_pattern, _name]), "text": "PROJECT/NAME"}

# The first segment of a path is no project.
_forms := array.concat([_short | not _parts[0] in {"projects", "global"}], [
	{"pattern": owner.project_path(sprintf("global/images/%s", [_name])), "text": "projects/PROJECT/global/images/NAME"},
	{"pattern": owner.project_path(sprintf("global/images/family/%s", [_name])), "text": "projects/PROJECT/global/images/family/NAME"},
	{"pattern": sprintf("global/images/(?:family/)?%s", [_name]), "text": "global/images/NAME"},
])

# METADATA
# description: |
#   Warnings of a family whose image Config Connector does not recognise in the machine that was made from it, of an image that newer sizes of Azure
#   do not boot, and of an AMI without its region.
warnings := array.concat(
	[{"code": "POL_IMAGE_FAMILY", "message": message} | some message in _family_messages],
	array.concat(
		[{"code": "POL_IMAGE_GENERATION", "message": message} | some message in _generation_messages],
		[{"code": "POL_IMAGE_UNPINNED", "message": message} | some message in _unpinned_messages],
	),
)

# A type that the object names may boot it: the sizes before version 6 boot both generations.
_generation_messages contains sprintf("%s is an image of generation 1, which Azure's sizes from version 6 on do not boot; name one of generation 2, or an instanceType of version 5", [_pinned]) if {
	some pattern in object.get(images, "firstGeneration", [])
	regex.match(pattern, concat(":", array.slice(split(lower(_pinned), ":"), 0, 3)))
	not _boots_both
}

_boots_both if {
	input.request.pin.instanceType != null
	regex.match(`_v[1-5]$`, input.request.pin.instanceType)
}

# An AMI is in one region; the public parameters that name one are in all.
_unpinned_messages contains sprintf("%s is in one region of AWS, and EC2 refuses a machine elsewhere; set spec.schedulingLocation to the region of the image", [_pinned]) if {
	input.request.pin.region == null
	startswith(_pinned, "ami-")
}

_family_messages contains sprintf("Config Connector refuses every change of a machine from %s, because its image's name does not contain the family's; name the image itself, as in ubuntu-os-cloud/ubuntu-2404-noble-amd64-v20260906", [_pinned]) if {
	some pattern in object.get(images, "unrecognised", [])
	regex.match(pattern, _of_google)
}

_family_messages contains sprintf("Config Connector refuses every change of a machine from %s if that is a family and its name is not in the names of its images", [_pinned]) if {
	not regex.match(`[0-9]{5}`, _of_google)
	not owner.is_allowed(sprintf("projects/%s", [_of_google]), object.get(images, "public", []))
}

# The image that the user names, as project/name in lower case; without a project where it names none.
_of_google := concat("/", array.concat(_project, [_parts[count(_parts) - 1]])) if {
	_is_of_google
	not owner.form_denial("spec.image", lower(_pinned), _forms)
}

_parts := split(lower(_pinned), "/")

_project := [] if {
	_parts[0] in {"family", "global"}
} else := [_parts[i + 1] | some i, part in _parts; part == "projects"] if {
	"projects" in _parts
} else := [_parts[0]]

# METADATA
# description: An id that names its owner, as the path of a project or a subscription. Google Cloud's short form is project/family.
path(id) := id if _is_path(id)

path(id) := sprintf("projects/%s", [id]) if {
	contains(id, "/")
	not _is_path(id)
	not _has_no_owner(id)
}

# An id that a provider could read as a path is one, of an owner that no one is.
path(id) := id if {
	not contains(id, "/")
	not owner.is_plain(id)
}

_has_no_owner(id) if {
	regex.match(`^(global/|resolve:ssm:|([^:/]+:){3}[^:/]+$)`, id)
	owner.is_plain(id)
}

_is_path(id) if regex.match(`^(/|projects/|https://)`, id)

# METADATA
# description: The prefixes that the settings allow the namespace.
prefixes := owner.prefixes(object.get(settings, "images", {}))
