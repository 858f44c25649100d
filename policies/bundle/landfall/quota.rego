# METADATA
# title: Quotas of a namespace
# description: |
#   Number of objects, vCPU and memory of the machine types that run, and list price per month (730 hours) of the decided types.
#   A namespace's annotations can lower the platform's limits, never raise them.
package landfall.quota

import data.landfall.catalog
import data.landfall.exemption
import data.landfall.flavour
import data.landfall.max_price
import data.landfall.pool
import data.landfall.prices
import data.landfall.scope
import data.landfall.settings

_hours_per_month := 730

_asked := {
	"objects": 1,
	"vcpus": _least("vcpus"),
	"memoryGiB": _least("memoryGiB"),
}

# What would run, in the place where it has the least. Without a place, what is asked for.
_least(dimension) := min([_size(offer)[dimension] | some offer in flavour.offers]) if {
	count(flavour.offers) > 0
} else := input.request.total[dimension]

# What runs counts: the type of a machine, and the types of a cluster's pools at their largest. They can have more than is asked for.
_size(offer) := {"vcpus": type[1], "memoryGiB": type[2]} if {
	not input.request.cluster
	type := catalog.types[offer[1]]
}

_size(offer) := pool.largest_size(offer[0]) if input.request.cluster

# What runs already is never denied.
_running(dimension) := input.request.running[dimension]

_running(_) := 0 if not input.request.running

_running("objects") := 1 if input.request.running

_exceeds(dimension, asked) if {
	asked > _running(dimension)
	input.facts.usage[dimension] + asked > limits[dimension]
}

_fields := {"objects": "metadata.namespace", "vcpus": _size_field("spec.cpu"), "memoryGiB": _size_field("spec.memory")}

# A cluster asks with its pools.
_size_field(of_machine) := of_machine if not input.request.cluster

_size_field(_) := "spec.nodePools" if input.request.cluster

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

_message(dimension, limit, used, asked) := sprintf("namespace %s uses %v of %v %s: %v more%s do not fit", [
	input.namespace.name, used, limit,
	_units[dimension], asked, _whose(dimension, asked),
]) if {
	dimension != "objects"
	not input.request.cluster
}

_message(dimension, limit, used, asked) := sprintf("namespace %s uses %v of %v %s: the node pools at their largest need %v more", [
	input.namespace.name, used, limit,
	_units[dimension], asked,
]) if {
	dimension != "objects"
	input.request.cluster
}

# Of a machine, if more counts than the object asks for.
_whose(dimension, asked) := "" if asked == input.request.total[dimension]

_whose(dimension, asked) := sprintf(", which the smallest type for %v vCPU and %v GiB has,", [input.request.cpu, input.request.memoryGiB]) if {
	asked != input.request.total[dimension]
	input.request.pin.instanceType == null
}

_whose(dimension, asked) := sprintf(", which %s has,", [input.request.pin.instanceType]) if {
	asked != input.request.total[dimension]
	input.request.pin.instanceType != null
}

# METADATA
# description: Denials for dimensions that the request would take over their limit.
denials contains denial if {
	_active
	some dimension, asked in _asked
	limit := limits[dimension]
	used := input.facts.usage[dimension]
	_exceeds(dimension, asked)
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

# A change adds nothing to what runs already if it keeps or lowers its size. How large something counts that does not run yet is not known here.
_adds if input.operation == "CREATE"

_adds if {
	input.operation != "CREATE"
	some dimension, asked in _asked
	asked > _running(dimension)
}

denials contains denial if {
	_active
	_adds
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

active if _priced

active if count(offers) < count(max_price.offers)

_priced if {
	_active
	limits.pricePerMonth
	input.facts != null
}

_left := limits.pricePerMonth - input.facts.usage.pricePerMonth

# METADATA
# description: |
#   The offers within the quotas: their types fit, and their price. An offer without a published price is removed where the price is limited.
offers := _affordable if count(_sized) == 0

offers := [offer |
	some offer in _affordable
	size := _size(offer)
	every dimension in _sized { not _exceeds(dimension, size[dimension]) }
] if {
	count(_sized) > 0
}

# The limits of size that some types fit into: without one, the denial says it.
_sized contains dimension if {
	_active
	input.facts != null
	some dimension in ["vcpus", "memoryGiB"]
	limits[dimension]
	not _exceeds(dimension, _asked[dimension])
}

_affordable := max_price.offers if not _priced

_affordable := [offer |
	left := _left
	some offer in max_price.offers
	price := _price(offer)
	price != null
	price * _hours_per_month <= left
] if _priced

_price(offer) := prices.cost(offer[1], offer[0]) if not input.request.cluster

# A cluster counts with all its pools at their largest.
_price(offer) := pool.largest_price(offer[0]) if input.request.cluster

remaining := [offer[0] | some offer in offers]

# METADATA
# description: The step's label.
label := concat(", ", array.concat(_money, [sprintf("%v of %v %s left", [left, limits[dimension], _units[dimension]]) |
	count(offers) < count(_affordable)
	some dimension in sort(_sized)
	left := limits[dimension] - input.facts.usage[dimension]
]))

_money := [sprintf("%v of %v USD per month left", [max([0, round(_left)]), limits.pricePerMonth])] if _priced

_money := [] if not _priced

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
