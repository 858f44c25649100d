# METADATA
# title: Settings of this object
# description: |
#   The settings of the platform, narrowed by the namespace, narrowed by the object.
package landfall.scope

import data.landfall.catalog
import data.landfall.exemption
import data.landfall.settings

# METADATA
# description: A setting of the namespace, from its annotation, otherwise its label; null if it is not set.
namespace_setting(key, separator) := _setting(key, separator) if _set[key]

# Most namespaces set nothing, so this replaces two look-ups per setting by one.
_set := object.keys(object.get(input.namespace, "annotations", {})) | object.keys(object.get(input.namespace, "labels", {}))

# A label value cannot have slashes or commas: an underscore replaces both.
_setting(key, separator) := input.namespace.annotations[key] if {
	input.namespace.annotations[key]
} else := replace(input.namespace.labels[key], "_", separator)

# METADATA
# description: A whole number that the namespace sets; null if it is not set.
namespace_number(key) := to_number(text) if {
	text := namespace_setting(key, "_")
	regex.match(`^[0-9]{1,9}$`, text)
} else := null

_list(text) := [trim_space(part) | some part in split(text, ","); trim_space(part) != ""]

# METADATA
# description: The place from which latency is measured, and the field that sets it.
default origin := {"place": "", "field": "settings.origin"}

origin := {"place": input.request.origin, "field": "spec.origin"} if input.request.origin != null

origin := {"place": place, "field": "namespace landfall.dev/origin"} if {
	input.request.origin == null
	place := namespace_setting("landfall.dev/origin", "/")
}

origin := {"place": settings.origin, "field": "settings.origin"} if {
	input.request.origin == null
	not namespace_setting("landfall.dev/origin", "/")
	settings.origin != null
}

# METADATA
# description: |
#   The place from which the limits of platform and namespace are measured. An object cannot choose it, unless neither of them
#   sets one.
limit_origin := {"place": place, "field": "namespace landfall.dev/origin"} if {
	place := namespace_setting("landfall.dev/origin", "/")
} else := {"place": settings.origin, "field": "settings.origin"} if {
	settings.origin != null
} else := origin

# METADATA
# description: Longest round trip in ms from the origin; null for no limit.
default max_latency := null

max_latency := min(_origin_limits) if count(_origin_limits) > 0

_origin_limits := [limit |
	some limit in [input.request.maxLatencyMs, _ceiling_at_origin]
	limit != null
]

default _ceiling_at_origin := null

_ceiling_at_origin := _ceiling if limit_origin.place == origin.place

# METADATA
# description: Longest round trip in ms from limit_origin, if the object measures from another place; null for no limit.
default latency_ceiling := null

latency_ceiling := _ceiling if limit_origin.place != origin.place

# An object's limit can be shorter than this, not longer.
default _ceiling := null

_ceiling := min(_limits) if {
	not exemption.waived.POL_LATENCY
	count(_limits) > 0
}

_limits := [limit | some limit in [settings.latency.max, namespace_number("landfall.dev/max-latency")]; limit != null]

# METADATA
# description: Whether an estimated round trip can satisfy a limit; both platform and namespace must allow it.
default estimates := false

estimates if {
	settings.latency.estimates
	object.get(input.namespace.annotations, "landfall.dev/estimates", "true") != "false"
	object.get(input.namespace.labels, "landfall.dev/estimates", "true") != "false"
}

# METADATA
# description: The families that the namespace narrows the bundle's down to; undefined if it does not.
families := _list(namespace_setting("landfall.dev/families", ","))

# METADATA
# description: The places that the namespace narrows the platform's down to; undefined if it does not.
regions := _list(namespace_setting("landfall.dev/regions", ",")) if not exemption.waived.POL_REGION

# METADATA
# description: Providers that platform and namespace allow, in the platform's order.
providers := object.keys(catalog.typeIds) if exemption.waived.POL_PROVIDER

providers := settings.providers if {
	not exemption.waived.POL_PROVIDER
	not _namespace_providers
}

providers := [name | some name in settings.providers; name in _namespace_providers] if {
	not exemption.waived.POL_PROVIDER
	_namespace_providers
}

_namespace_providers := _list(namespace_setting("landfall.dev/providers", ","))

# METADATA
# description: Lists of areas; a place must lie in at least one area of each.
residency_floors := [floor |
	some floor in [
		{"field": "settings.residency", "areas": _unless_exempt(settings.residency)},
		{"field": "namespace landfall.dev/residency", "areas": _unless_exempt(_namespace_residency)},
		{"field": "spec.dataResidency", "areas": input.request.dataResidency},
	]
	count(floor.areas) > 0
]

_unless_exempt(areas) := areas if not exemption.waived.POL_RESIDENCY

_unless_exempt(_) := [] if exemption.waived.POL_RESIDENCY

default _namespace_residency := []

_namespace_residency := _list(namespace_setting("landfall.dev/residency", ","))

# METADATA
# description: The operating system, which does not depend on the place.
os := input.request.os if {
	input.request.os != null
} else := namespace_setting("landfall.dev/os", "-") if {
	namespace_setting("landfall.dev/os", "-")
} else := settings.os

# METADATA
# description: The disk that a machine starts from, if the object does not set it; null uses the chart's default.
os_disk := {"sizeGiB": _disk_size, "type": _disk_type}

_disk_size := namespace_number("landfall.dev/os-disk-gib") if {
	namespace_number("landfall.dev/os-disk-gib") != null
} else := settings.osDisk.sizeGiB

_disk_type := namespace_setting("landfall.dev/os-disk-type", "-") if {
	namespace_setting("landfall.dev/os-disk-type", "-")
} else := settings.osDisk.type

# METADATA
# description: The name of the main objective.
objective_name := input.request.optimizeFor if {
	input.request.optimizeFor != null
} else := namespace_setting("landfall.dev/optimize-for", "-") if {
	namespace_setting("landfall.dev/optimize-for", "-")
} else := settings.objective.default

# METADATA
# description: Denials for invalid settings of the namespace, and for origins that do not exist.
denials contains denial if {
	origin.place != ""
	not catalog.placeIds[origin.place]
	denial := {
		"code": "POL_UNKNOWN_ORIGIN",
		"message": sprintf("%s %s is not a known place", [origin.field, origin.place]),
		"field": origin.field,
		"actual": origin.place,
		"allowed": "provider/region",
	}
}

# METADATA
# description: The origin of a limit that the object does not set must exist as well.
denials contains denial if {
	latency_ceiling != null
	not catalog.placeIds[limit_origin.place]
	denial := {
		"code": "POL_UNKNOWN_ORIGIN",
		"message": sprintf("%s %s is not a known place", [limit_origin.field, limit_origin.place]),
		"field": limit_origin.field,
		"actual": limit_origin.place,
		"allowed": "provider/region",
	}
}

# METADATA
# description: A limit without an origin could not be checked.
denials contains denial if {
	origin.place == ""
	max_latency != null
	denial := {
		"code": "POL_UNKNOWN_ORIGIN",
		"message": "maxLatency needs an origin, but neither the object, the namespace nor the platform sets one",
		"field": "spec.origin",
		"actual": null,
		"allowed": "provider/region",
	}
}

denials contains _bad_setting("landfall.dev/providers", name, concat(", ", settings.providers)) if {
	some name in _namespace_providers
	not catalog.typeIds[name]
}

denials contains _bad_setting("landfall.dev/optimize-for", name, concat(", ", sort(object.keys(settings.objective.weights)))) if {
	name := namespace_setting("landfall.dev/optimize-for", "-")
	not settings.objective.weights[name]
}

denials contains _bad_setting(key, text, "a whole number") if {
	some key in [
		"landfall.dev/max-latency",
		"landfall.dev/waiting-cost-percent",
		"landfall.dev/quota-objects",
		"landfall.dev/quota-vcpus",
		"landfall.dev/quota-memory",
		"landfall.dev/quota-price",
	]
	text := namespace_setting(key, "_")
	namespace_number(key) == null
}

denials contains _bad_setting("landfall.dev/max-wait", text, "a duration such as 12h, 90m or 1d12h") if {
	text := namespace_setting("landfall.dev/max-wait", "_")
	not is_wait(text)
}

# METADATA
# description: Whether a text is a limit of waiting.
is_wait(text) := regex.match(`^([0-9]{1,6}d)?([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,6}s)?$`, text) if text != ""

denials contains _bad_setting("landfall.dev/estimates", text, "true or false") if {
	text := namespace_setting("landfall.dev/estimates", "_")
	not text in {"true", "false"}
}

denials contains _bad_setting("landfall.dev/os-disk-gib", text, "a whole number from 10 to 2048") if {
	text := namespace_setting("landfall.dev/os-disk-gib", "_")
	not _disk_fits(namespace_number("landfall.dev/os-disk-gib"))
}

denials contains _bad_setting("landfall.dev/os-disk-type", text, "standard, balanced or premium") if {
	text := namespace_setting("landfall.dev/os-disk-type", "-")
	not text in {"standard", "balanced", "premium"}
}

_disk_fits(size) if {
	size != null
	size >= 10
	size <= 2048
}

denials contains _bad_setting("landfall.dev/regions", key, "provider/region of the catalog") if {
	some key in regions
	not catalog.placeIds[key]
}

denials contains _bad_setting("landfall.dev/families", name, concat(", ", settings.families)) if {
	some name in families
	not name in settings.families
}

denials contains _bad_setting("landfall.dev/name-pattern", text, "a regular expression") if {
	text := namespace_setting("landfall.dev/name-pattern", "_")
	not regex.is_valid(text)
}

denials contains _bad_setting("landfall.dev/when-done", text, "delete, stop or keep") if {
	text := namespace_setting("landfall.dev/when-done", "-")
	not text in {"delete", "stop", "keep"}
}

# Without a value, a limit would hold for nothing.
denials contains _bad_setting(key, `""`, allowed) if {
	some key, allowed in {
		"landfall.dev/residency": "areas with commas, such as EU,CH",
		"landfall.dev/providers": "providers with commas, such as azure,aws",
		"landfall.dev/regions": "places with commas, such as azure/italynorth",
		"landfall.dev/families": "families with commas, such as general,compute",
		"landfall.dev/name-pattern": "a regular expression",
	}
	text := namespace_setting(key, ",")
	trim(text, ", ") == ""
}

_bad_setting(key, actual, allowed) := {
	"code": "POL_NAMESPACE_SETTING",
	"message": sprintf("namespace %s sets %s to %s; valid values: %s", [input.namespace.name, key, actual, allowed]),
	"field": sprintf("namespace %s", [key]),
	"actual": actual,
	"allowed": allowed,
}
