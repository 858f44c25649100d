# METADATA
# title: What holds for this object
# description: |
#   The settings of the platform, narrowed by the namespace, narrowed by the object.
package landfall.scope

import data.landfall.catalog
import data.landfall.settings

# METADATA
# description: A setting of the namespace, from its annotation or else its label; null where there is none.
namespace_setting(key, _) := input.namespace.annotations[key]

# A label holds neither slash nor comma: an underscore stands for both.
namespace_setting(key, separator) := replace(input.namespace.labels[key], "_", separator) if {
	not input.namespace.annotations[key]
}

_list(text) := [trim_space(part) | some part in split(text, ","); trim_space(part) != ""]

# METADATA
# description: The place that latency is measured from, and whose word it is.
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
# description: Longest round trip in ms; null for no limit.
max_latency := input.request.maxLatencyMs if {
	input.request.maxLatencyMs != null
} else := settings.latency.max

# METADATA
# description: Providers that platform and namespace allow, in the platform's order.
providers := settings.providers if not _namespace_providers

providers := [name | some name in settings.providers; name in _namespace_providers] if _namespace_providers

_namespace_providers := _list(namespace_setting("landfall.dev/providers", ","))

# METADATA
# description: Lists of areas; a place must lie in at least one area of each.
residency_floors := [floor |
	some floor in [
		{"field": "settings.residency", "areas": settings.residency},
		{"field": "namespace landfall.dev/residency", "areas": _namespace_residency},
		{"field": "spec.dataResidency", "areas": input.request.dataResidency},
	]
	count(floor.areas) > 0
]

default _namespace_residency := []

_namespace_residency := _list(namespace_setting("landfall.dev/residency", ","))

# METADATA
# description: The operating system, which does not depend on the place.
os := input.request.os if {
	input.request.os != null
} else := settings.os

# METADATA
# description: The name of what counts most.
objective_name := input.request.optimizeFor if {
	input.request.optimizeFor != null
} else := namespace_setting("landfall.dev/optimize-for", "-") if {
	namespace_setting("landfall.dev/optimize-for", "-")
} else := settings.objective.default

# METADATA
# description: What is wrong with the settings of the namespace, and origins that do not exist.
denials contains denial if {
	origin.place != ""
	not catalog.placeIds[origin.place]
	denial := {
		"code": "POL_UNKNOWN_ORIGIN",
		"message": sprintf("%s %s is no place", [origin.field, origin.place]),
		"field": origin.field,
		"actual": origin.place,
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
		"message": "maxLatency needs an origin, and neither object nor namespace nor platform names one",
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

_bad_setting(key, actual, allowed) := {
	"code": "POL_NAMESPACE_SETTING",
	"message": sprintf("namespace %s sets %s to %s; it can be %s", [input.namespace.name, key, actual, allowed]),
	"field": sprintf("namespace %s", [key]),
	"actual": actual,
	"allowed": allowed,
}
