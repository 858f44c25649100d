# METADATA
# title: Quotas of a namespace
# description: |
#   Number of objects, requested vCPU and memory, and list price per month (730 hours) of the decided types.
#   A namespace's annotations can lower the platform's limits, never raise them.
package landfall.quota

import data.landfall.catalog
import data.landfall.exemption
import data.landfall.max_price
import data.landfall.pool
import data.landfall.prices
import data.landfall.scope
import data.landfall.settings

_hours_per_month := 730

_asked := {
	"objects": 1,
	"vcpus": max([input.request.total.vcpus, _named(1), _pools("vcpus")]),
	"memoryGiB": max([input.request.total.memoryGiB, _named(2), _pools("memoryGiB")]),
}

# Of the types of a cluster's pools, in the place where they have the least. Zero for a machine.
_pools(dimension) := min([pool.largest_size(offer[0])[dimension] | some offer in pool.offers]) if {
	input.request.cluster
	count(pool.offers) > 0
} else := 0

# Of the type that a machine names: it can have more than the object asks for. Zero without one.
_named(field) := max({0} | {catalog.types[id][field] |
	some ids in catalog.typeIds
	id := ids[input.request.pin.instanceType]
})

_fields := {"objects": "metadata.namespace", "vcpus": "spec.cpu", "memoryGiB": "spec.memory"}

_units := {"objects": "objects", "vcpus": "vCPU", "memoryGiB": "GiB", "pricePerMonth": "USD per month"}

_annotations := {
	"objects": "landfall.dev/quota-objects",
	"vcpus": "landfall.dev/quota-vcpus",
	"memoryGiB": "landfall.dev/quota-memory",
	"pricePerMonth": "landfall.dev/quota-price",
}

# METADATA
# description: The limits of this namespace, by dimension; a dimension without a limit is absent.
limits[dimension] := min(found) if {
	some dimension, annotation in _annotations
	found := [limit | some limit in [_of_platform(dimension), scope.namespace_number(annotation)]; limit != null]
	count(found) > 0
}

_of_platform(dimension) := settings.quotas.namespaces[input.namespace.name][dimension] if {
	settings.quotas.namespaces[input.namespace.name][dimension] != null
} else := settings.quotas.default[dimension]

_active if {
	count(limits) > 0
	not exemption.waived.POL_QUOTA
}

_message("objects", limit, used, _) := sprintf("namespace %s is full: %v of %v objects", [input.namespace.name, used, limit])

_message(dimension, limit, used, asked) := sprintf("namespace %s uses %v of %v %s: %v more do not fit", [
	input.namespace.name, used, limit,
	_units[dimension], asked,
]) if {
	dimension != "objects"
}

# METADATA
# description: Denials for dimensions that the request would take over their limit.
denials contains denial if {
	_active
	some dimension, asked in _asked
	limit := limits[dimension]
	used := input.facts.usage[dimension]
	used + asked > limit
	denial := {
		"code": "POL_QUOTA",
		"message": _message(dimension, limit, used, asked),
		"field": _fields[dimension],
		"actual": asked,
		"allowed": max([0, limit - used]),
	}
}

# Other replicas of the webhook admit objects that are not seen here, so usage that is this old, in seconds, may be too low.
_most_age := 60

denials contains denial if {
	_active
	input.operation == "CREATE"
	age := input.now - input.facts.asOf
	age > _most_age
	denial := {
		"code": "POL_QUOTA_STALE",
		"message": sprintf("the objects of namespace %s were last seen %v s ago, so its quotas cannot be checked", [
			input.namespace.name,
			age,
		]),
		"field": null,
		"actual": age,
		"allowed": _most_age,
	}
}

# Usage that cannot be compared would leave the limit without a check.
denials contains denial if {
	_active
	input.facts != null
	some dimension, limit in limits
	not is_number(input.facts.usage[dimension])
	denial := {
		"code": "POL_QUOTA",
		"message": sprintf("the %s that namespace %s uses are not a number", [_units[dimension], input.namespace.name]),
		"field": object.get(_fields, dimension, "metadata.namespace"),
		"actual": null,
		"allowed": limit,
	}
}

# METADATA
# description: True if a price is limited; the step is then shown.
default active := false

active if {
	_active
	limits.pricePerMonth
	input.facts != null
}

_left := limits.pricePerMonth - input.facts.usage.pricePerMonth

# METADATA
# description: The offers within the monthly budget; an offer without a published price is removed.
offers := max_price.offers if not active

offers := [offer |
	left := _left
	some offer in max_price.offers
	price := _price(offer)
	price != null
	price * _hours_per_month <= left
] if active

_price(offer) := prices.of(offer[1], offer[0]) if not input.request.cluster

# A cluster counts with all its pools at their largest.
_price(offer) := pool.largest_price(offer[0]) if input.request.cluster

remaining := [offer[0] | some offer in offers]

# METADATA
# description: The step's label.
label := sprintf("%v of %v USD per month left", [max([0, round(_left)]), limits.pricePerMonth])

# METADATA
# description: The reason why this rule refuses the only place that the object allows.
refusal(id) := {
	"code": "POL_QUOTA",
	"message": _too_dear(id),
	"field": "spec.schedulingLocation",
	"actual": catalog.places[id].key,
	"allowed": label,
}

_too_dear(id) := sprintf("a machine of this size in %s costs %v USD per month (730 hours), with %s", [catalog.places[id].key, round(min(costs)), label]) if {
	costs := [cost |
		some offer in max_price.offers
		offer[0] == id
		cost := _price(offer) * _hours_per_month
	]
	count(costs) > 0
} else := sprintf("%s has no published price, so it cannot be compared with the %s", [catalog.places[id].key, label])

# METADATA
# description: True if limits could not be checked, because the cluster's objects are not known.
unchecked if {
	_active
	input.facts == null
}
