# METADATA
# title: Instance type of a machine
# description: |
#   The cheapest adequate type of an allowed family in each place. catalog.cells names, for each cell of a grid of
#   powers of two, the few types that can be the cheapest there, cheapest first; so the first adequate one is it.
package landfall.flavour

import data.landfall.additions
import data.landfall.capacity
import data.landfall.catalog
import data.landfall.pool
import data.landfall.prices
import data.landfall.region
import data.landfall.scope

_pinned := input.request.pin.instanceType

_exponent(size) := [exponent | some exponent, power in catalog.powersOfTwo; power >= size][0]

_cpu := _exponent(input.request.cpu)

_memory := _exponent(input.request.memoryGiB)

_table := input.request.arch if not input.request.burstable

_table := concat("+", [input.request.arch, "burstable"]) if input.request.burstable

_row(table) := catalog.cellRows[catalog.cells[table][_cpu][_memory]]

# Some providers sell their burstable types on demand only, and the object asks for spot.
_without_burstable if {
	input.request.burstable
	count(capacity.no_burstable) > 0
}

# METADATA
# description: Places with the index of the type that would run there.
default offers := []

offers := [[place, first] |
	types := catalog.types
	choices := catalog.choices
	row := _row(_table)
	cpu := input.request.cpu
	memory := input.request.memoryGiB
	some place in additions.remaining
	first := _first_offered(place, [id |
		some id in choices[row[place]]
		type := types[id]
		type[1] >= cpu
		type[2] >= memory
	])
] if {
	_pinned == null
	not scope.families
	not input.request.cluster
	not input.request.instead
	not input.request.installedType
	not _without_burstable
	input.request.pin.zone == null
}

offers := [[place, first] |
	some place in additions.remaining
	first := _of_region(place)
] if {
	_pinned == null
	not scope.families
	not input.request.cluster
	not input.request.instead
	not input.request.installedType
	_without_burstable
	input.request.pin.zone == null
}

# The cheapest type of a place by its cell.
_of_region(place) := _first_offered(place, [id |
	some id in catalog.choices[_row(_table_of(catalog.places[place].provider))[place]]
	catalog.types[id][1] >= input.request.cpu
	catalog.types[id][2] >= input.request.memoryGiB
]) if {
	not scope.families
}

# The choices of a place have only types of its price list. Nearly always the first is it: the others are looked at if it is not.
_first_offered(place, ids) := ids[0] if {
	region.in_some_zone(place, ids[0])
} else := [id | some id in ids; region.in_some_zone(place, id)][0]

_table_of(provider) := input.request.arch if capacity.no_burstable[provider]

_table_of(provider) := _table if not capacity.no_burstable[provider]

offers := pool.offers if input.request.cluster

# If a namespace narrows the families down: the cheapest type of each family. At equal prices, the lower id wins.
_of_region(place) := min(priced)[1] if {
	scope.families
	priced := [[_unknown_last(prices.cost(id, place)), id] |
		some row in _family_rows
		some id in catalog.choices[row[place]]
		catalog.types[id][1] >= input.request.cpu
		catalog.types[id][2] >= input.request.memoryGiB
		catalog.types[id][5] in _classes
		region.offers_type(place, id)
		not capacity.unsold(place, id)
	]
}

offers := [[place, cheapest] |
	some place in additions.remaining
	cheapest := _of_region(place)
] if {
	_pinned == null
	scope.families
	not input.request.cluster
	not input.request.instead
	not input.request.installedType
	input.request.pin.zone == null
}

# In a zone: the cheapest type of its region, which the zone has if its provider has no rules of zones. Otherwise the cheapest of all types that
# the zone has: it may lack the first one. Only such providers need it, whose zones are named after one region each.
offers := [[place, cheapest] |
	some place in additions.remaining
	cheapest := _of_zone(place)
] if {
	_pinned == null
	not input.request.cluster
	not input.request.instead
	not input.request.installedType
	input.request.pin.zone != null
}

_of_zone(place) := cheapest if {
	cheapest := _of_region(place)
	_in_zone(place, cheapest)
} else := min(priced)[1] if {
	catalog.typeZonesOf[catalog.places[place].provider]
	priced := [[_unknown_last(prices.cost(id, place)), id] |
		some id in catalog.typeIds[catalog.places[place].provider]
		_adequate(place, id)
	]
}

# Instead of types that have no capacity now: the cheapest other size of the series of one of them, such as e2, of equal
# prices the smallest. A machine stays in its series, because another one may not take its disks.
offers := [[place, cheapest] |
	some place in additions.remaining
	priced := [[_unknown_last(prices.cost(id, place)), catalog.types[id][1], catalog.types[id][2], id] |
		some name, id in catalog.typeIds[catalog.places[place].provider]
		not name in input.request.instead
		_series(name) in {_series(other) | some other in input.request.instead}
		_adequate(place, id)
	]
	count(priced) > 0
	cheapest := min(priced)[3]
] if {
	_pinned == null
	input.request.instead
}

# A machine that is there: the cheapest of the types into which its provider changes it.
offers := [[place, cheapest] |
	some place in additions.remaining
	priced := [[_unknown_last(prices.cost(id, place)), id] |
		some name, id in catalog.typeIds[catalog.places[place].provider]
		_changes_to(place, name)
		_adequate(place, id)
	]
	count(priced) > 0
	cheapest := min(priced)[1]
] if {
	_pinned == null
	not input.request.instead
	input.request.installedType
}

# Whether the machine's provider changes the type that it has into this one.
_changes_to(_, _) if not input.request.installedType

_changes_to(_, name) if name == input.request.installedType

_changes_to(place, _) if not catalog.resizeGroups[catalog.places[place].provider]

_changes_to(place, name) if {
	groups := catalog.resizeGroups[catalog.places[place].provider]
	groups[name] == groups[input.request.installedType]
}

# e2 of e2-standard-2, m7i of m7i.2xlarge, Standard_Das_v5 of Standard_D8as_v5; another name is a series of its own.
_series(name) := split(split(name, ".")[0], "-")[0] if not startswith(name, "Standard_")

_series(name) := concat("_", [strings.replace_n(_no_digits, split(part, "-")[0]), version]) if {
	startswith(name, "Standard_")
	parts := split(trim_prefix(name, "Standard_"), "_")
	part := parts[0]
	version := concat("_", array.slice(parts, 1, count(parts)))
}

_no_digits := {digit: "" | some digit in split("0123456789", "")}

_adequate(place, id) if {
	_offers(place, id)
	not capacity.unsold(place, id)
	_family_allowed(id)
	type := catalog.types[id]
	type[1] >= input.request.cpu
	type[2] >= input.request.memoryGiB
	type[4] == input.request.arch
	type[5] in _classes
}

_family_rows := [catalog.cellRows[catalog.cells[concat("/", [input.request.arch, family])][_cpu][_memory]] |
	some family in scope.families
]

_unknown_last(price) := price if price != null

_unknown_last(null) := 1000000000

_classes := {"standard"} if not input.request.burstable

_classes := {"standard", "burstable"} if input.request.burstable

_family_allowed(_) if not scope.families

_family_allowed(id) if catalog.types[id][6] in scope.families

offers := [[place, id] |
	some place in additions.remaining
	id := catalog.typeIds[catalog.places[place].provider][_pinned]
	_changes_to(place, _pinned)
	_offers(place, id)
	not capacity.unsold(place, id)
	_family_allowed(id)
	not _excluded(catalog.types[id])
	catalog.types[id][4] == input.request.arch
	catalog.types[id][1] >= input.request.cpu
	catalog.types[id][2] >= input.request.memoryGiB
] if {
	_pinned != null
}

# A burstable type, where the object says itself that it takes none.
_excluded(type) if {
	input.spec.burstable == false
	type[5] == "burstable"
}

_is_excluded := "is burstable, and spec.burstable is false"

_offers(_, id) if region.is_there(id)

_offers(place, id) if {
	region.offers_type(place, id)
	_in_zone(place, id)
}

_in_zone(_, _) if input.request.pin.zone == null

_in_zone(place, id) if region.has_type(place, id, input.request.pin.zone)

# METADATA
# description: True if a place that remains has a type of this size with another architecture.
default of_other_arch := false

of_other_arch if {
	input.request.arch != "amd64"
	not input.request.cluster
	not scope.families
	_pinned == null
	row := catalog.cellRows[catalog.cells.amd64[_cpu][_memory]]
	some place in additions.remaining
	some id in catalog.choices[row[place]]
	catalog.types[id][1] >= input.request.cpu
	catalog.types[id][2] >= input.request.memoryGiB
}

# METADATA
# description: Places that offer a type.
remaining := [offer[0] | some offer in offers]

# METADATA
# description: The step's label.
label := pool.label if input.request.cluster

label := concat(", ", [part |
	some part in [_size, _arch, _burstable, _type, _in]
	part != ""
]) if {
	not input.request.cluster
}

_in := "" if input.request.pin.zone == null

_in := concat(" ", ["zone", input.request.pin.zone]) if input.request.pin.zone != null

_size := concat("", [format_int(input.request.cpu, 10), " vCPU, ", format_int(input.request.memoryGiB, 10), " GiB"])

_arch := "" if input.request.arch == "amd64"

_arch := input.request.arch if input.request.arch != "amd64"

_burstable := "" if not input.request.burstable

_burstable := "burstable allowed" if input.request.burstable

_type := "" if _pinned == null

_type := concat(" ", ["type", _pinned]) if _pinned != null

# METADATA
# description: The reason why this rule refuses the only place that the object allows.
refusal(place) := {
	"code": "POL_FLAVOUR",
	"message": sprintf("%s offers no type of %s", [catalog.places[place].key, label]),
	"field": "spec.cpu",
	"actual": input.request.cpu,
	"allowed": null,
} if {
	_pinned == null
	not input.request.cluster
	not _unsold_at(place)
}

refusal(place) := _spot_denial(_unsold_at(place))

refusal(place) := pool.refusal(place) if input.request.cluster

refusal(place) := _type_denial(message) if {
	_pinned != null
	message := sprintf("spec.instanceType %s in %s %s", [_pinned, catalog.places[place].key, _why(place)])
}

# METADATA
# description: A requested type must exist at one of the remaining providers.
denials contains denial if {
	_pinned != null
	count(additions.remaining) > 1
	count(offers) == 0
	denial := _type_denial(sprintf("spec.instanceType %s %s", [_pinned, _why_nowhere]))
}

# A zone can leave one place without a region that is asked for: that place gives the reason as well.
denials contains refusal(place) if {
	_pinned != null
	not input.request.cluster
	not region.only
	count(offers) == 0
	count(additions.remaining) == 1
	some place in additions.remaining
}

# The first reason that holds.
_why_nowhere := "is not a type of the catalog" if {
	count(_sellers) == 0
} else := sprintf("is a type of %s, of which no place remains", [concat(", ", _sellers)]) if {
	count(_known) == 0
} else := sprintf("has %v vCPU, %v GiB, %s: not adequate for %s", [_named[1], _named[2], _named[4], _wanted]) if {
	not _fits(_named)
} else := _is_excluded if {
	_excluded(_named)
} else := _not_allowed(_known[0]) if {
	not _family_allowed(_known[0])
} else := sprintf("cannot be a spot machine of %s: %s", _named_unsold) if {
	_named_unsold
} else := "is not offered in the remaining regions"

_sellers := sort([name | some name, ids in catalog.typeIds; ids[_pinned]])

# The type by the provider of places that remain.
_known := [id |
	some name in {catalog.places[place].provider | some place in additions.remaining}
	id := catalog.typeIds[name][_pinned]
]

_named := catalog.types[_known[0]]

_fits(type) if {
	type[1] >= input.request.cpu
	type[2] >= input.request.memoryGiB
	type[4] == input.request.arch
}

_named_unsold := [why | some place in additions.remaining; why := _unsold_named(place)][0]

_unsold_named(place) := capacity.unsold(place, catalog.typeIds[catalog.places[place].provider][_pinned])

# The reason if only types that are not sold as spot machines are left in a place.
_unsold_at(place) := [why |
	_without_burstable
	some id in catalog.typeIds[catalog.places[place].provider]
	why := capacity.unsold(place, id)
	_offers(place, id)
	_family_allowed(id)
	catalog.types[id][4] == input.request.arch
	catalog.types[id][1] >= input.request.cpu
	catalog.types[id][2] >= input.request.memoryGiB
][0] if {
	_pinned == null
}

_spot_denial(why) := {
	"code": "POL_SPOT",
	"message": sprintf("%s has no spot machine of %s that is allowed here: %s", [why[0], _size, why[1]]),
	"field": "spec.capacity",
	"actual": "spot",
	"allowed": "on-demand",
}

denials contains _spot_denial(reasons[0]) if {
	count(additions.remaining) > 1
	count(offers) == 0
	reasons := [why | some place in additions.remaining; why := _unsold_at(place)]
}

# The requirements of a type, without its name.
_wanted := concat(", ", [_size, input.request.arch])

_type_denial(message) := {
	"code": "POL_INSTANCE_TYPE",
	"message": message,
	"field": "spec.instanceType",
	"actual": _pinned,
	"allowed": _wanted,
}

_why(place) := sprintf("has %v vCPU, %v GiB, %s: not adequate for %s", [type[1], type[2], type[4], _wanted]) if {
	_offered(place)
	type := catalog.types[catalog.typeIds[catalog.places[place].provider][_pinned]]
	not _fits(type)
} else := _is_excluded if {
	_offered(place)
	_excluded(catalog.types[catalog.typeIds[catalog.places[place].provider][_pinned]])
} else := sprintf("cannot be a spot machine of %s: %s", _unsold_named(place)) if {
	_offered(place)
	_unsold_named(place)
} else := sprintf("is only in %s", [concat(", ", _zones_of_named(place))]) if {
	_zones_of_named(place)
	input.request.pin.zone != null
	not _offered(place)
} else := "is not a type of the catalog" if {
	count(_sellers) == 0
} else := sprintf("is a type of %s", [concat(", ", _sellers)]) if {
	not catalog.places[place].provider in _sellers
} else := _not_allowed(catalog.typeIds[catalog.places[place].provider][_pinned]) if {
	_offered(place)
} else := "is not offered there"

# Only a namespace narrows the families of the catalog down.
_not_allowed(id) := sprintf("is of the family %s, which the namespace's landfall.dev/families does not allow", [catalog.types[id][6]])

# The zones of the place that have the type, if not all of them do.
_zones_of_named(place) := region.zones_of_type(place, catalog.typeIds[catalog.places[place].provider][_pinned])

_offered(place) if {
	id := catalog.typeIds[catalog.places[place].provider][_pinned]
	_offers(place, id)
}
