# METADATA
# title: Instance types for the pools of a cluster
# description: |
#   The cheapest adequate type for each pool in each place, as data.landfall.flavour does for a machine; a place must
#   offer one for every pool. Price and size are the totals of all expected nodes. Empty for a machine.
package landfall.pool

import data.landfall.catalog
import data.landfall.cluster
import data.landfall.clusters
import data.landfall.prices
import data.landfall.region
import data.landfall.scope

# The remaining places by provider, because each provider has its own minimum size of a node.
_places[name] := [id | some id in cluster.remaining; catalog.places[id].provider == name] if {
	input.request.cluster
	some name, _ in clusters.floors
}

# The type by pool and place. One loop over the places per pool, because functions do not cache results.
_found := [_types_of(pool) | some pool in input.request.cluster.pools]

_types_of(pool) := {place: first |
	types := catalog.types
	choices := catalog.choices
	some name, ids in _places
	cpu := max([pool.cpu, clusters.floors[name].cpu])
	memory := max([pool.memoryGiB, clusters.floors[name].memoryGiB])
	row := _row("amd64", cpu, memory)
	some place in ids
	first := [id |
		some id in choices[row[place]]
		types[id][1] >= cpu
		types[id][2] >= memory
		region.offers_type(place, id)
		_in_zones(pool, place, id)
	][0]
} if {
	not scope.families
	pool.instanceType == null
	pool.gpu == 0
}

# If a namespace narrows the families down. No family has GPUs: a pool requests them itself.
_types_of(pool) := {place: cheapest |
	types := catalog.types
	some name, ids in _places
	cpu := max([pool.cpu, clusters.floors[name].cpu])
	memory := max([pool.memoryGiB, clusters.floors[name].memoryGiB])
	rows := [_row(concat("/", ["amd64", family]), cpu, memory) | some family in scope.families]
	some place in ids
	cheapest := min([[_order(prices.of(id, place)), id] |
		some row in rows
		some id in catalog.choices[row[place]]
		types[id][1] >= cpu
		types[id][2] >= memory
		types[id][5] == "standard"
		region.offers_type(place, id)
		_in_zones(pool, place, id)
	])[1]
} if {
	scope.families
	pool.instanceType == null
	pool.gpu == 0
}

_types_of(pool) := {place: cheapest |
	some name, ids in _places
	adequate := {type: id | some type, id in catalog.gpuIds[name]; _adequate(id, pool)}
	some place in ids
	cheapest := min([[_order(cost), type, id] |
		some type, id in adequate
		region.offers_type(place, id)
		cost := prices.of(id, place)
		_in_zones(pool, place, id)
	])[2]
} if {
	pool.instanceType == null
	pool.gpu > 0
}

_types_of(pool) := {place: id |
	some name, ids in _places
	id := _types_at(name)[pool.instanceType]
	catalog.types[id][4] == "amd64"
	_family_allowed(id)
	_adequate(id, pool)
	not _refused(name, id)
	some place in ids
	_offered(pool, place, id)
} if {
	pool.instanceType != null
}

# Whether the nodes of the pool have the type already: what runs is not questioned.
_is_there(pool, id) if catalog.types[id][0] == pool.installedType

_offered(pool, _, id) if _is_there(pool, id)

_offered(_, place, id) if region.offers_type(place, id)

# Whether the zones that a user named have the type.
_in_zones(_, _, _) if input.request.cluster.zones == null

_in_zones(pool, place, id) if {
	every zone in input.request.cluster.zones {
		_in_zone(pool, [place, id], zone)
	}
}

_in_zone(pool, [_, id], _) if _is_there(pool, id)

_in_zone(_, [place, id], zone) if region.has_type(place, id, zone)

# Whether the provider takes no machine of this type as a node.
_refused(name, id) if {
	clusters.floors[name].enforced
	catalog.types[id][1] < clusters.floors[name].cpu
}

_refused(name, id) if {
	clusters.floors[name].enforced
	catalog.types[id][2] < clusters.floors[name].memoryGiB
}

_exponent(size) := [exponent | some exponent, power in catalog.powersOfTwo; power >= size][0]

_row(table, cpu, memory) := catalog.cellRows[catalog.cells[table][_exponent(cpu)][_exponent(memory)]]

_family_allowed(_) if not scope.families

_family_allowed(id) if catalog.types[id][6] in scope.families

_family_allowed(id) if _gpus(id) > 0

# A type without a published price sorts after those with one.
_order(price) := price if price != null

_order(null) := 1000000000

_adequate(id, pool) if {
	catalog.types[id][1] >= pool.cpu
	catalog.types[id][2] >= pool.memoryGiB
	_gpus(id) >= pool.gpu
}

# Only types with GPUs have this field.
_gpus(id) := catalog.types[id][7] if {
	count(catalog.types[id]) > 7
} else := 0

# The types of all pools, for places that offer one for each.
_types[place] := ids if {
	input.request.cluster
	some place in cluster.remaining
	ids := [id | some fits in _found; id := fits[place]]
	count(ids) == count(_found)
	count(ids) > 0
	_zones_for(place, ids)
}

# The zones of the nodes. A cluster in one zone, which its user left open, is in the first that has the types of all pools: the usual one if it has.
# Undefined if no zone has them all. In a cluster of a whole region, the chart keeps the nodes of each pool in the zones with its type.
_zones_for(place, ids) := cluster.zones[place] if {
	_has_all(place, ids, cluster.zones[place])
} else := [found] if {
	input.request.cluster.zones == null
	count(cluster.zones[place]) == 1
	found := [zone | some zone in catalog.places[place].zones; _has_all(place, ids, [zone])][0]
}

_has_all(place, ids, zones) if {
	every zone in zones {
		every at, id in ids {
			_in_zone(input.request.cluster.pools[at], [place, id], zone)
		}
	}
}

# METADATA
# description: Places with the index of the type of the first pool.
offers := [[place, _types[place][0]] | some place in cluster.remaining; _types[place]] if input.request.cluster

# METADATA
# description: Name and expected nodes of each pool.
nodes := [[pool.name, pool.nodes] | some pool in input.request.cluster.pools]

# METADATA
# description: For the place of an offer, the version, the zones, and the type of each pool.
choice(id) := [cluster.versions[catalog.places[id].provider], _zones_for(id, _types[id]), _types[id]]

# METADATA
# description: The fields that a cluster adds to a candidate.
detail(place) := {
	"vcpus": _total(ids, 1),
	"memoryGiB": _total(ids, 2),
	"pricePerHour": _price([[nodes[at][1], prices.cost(id, place)] | some at, id in ids]),
	"cluster": {
		"kubernetesVersion": kubernetes,
		"zones": zones,
		"pools": [_pool(at, id, place) | some at, id in ids],
	},
} if {
	[kubernetes, zones, ids] := choice(place)
}

# Size and price are those of one node.
_pool(at, id, place) := {
	"name": nodes[at][0],
	"nodes": nodes[at][1],
	"instanceType": catalog.types[id][0],
	"vcpus": catalog.types[id][1],
	"memoryGiB": catalog.types[id][2],
	"pricePerHour": prices.cost(id, place),
}

# METADATA
# description: |
#   vCPU and GiB in a place when every pool is at its largest, with its type, which can have more than the pool asks for.
largest_size(place) := {"vcpus": _most(ids, "cpu", 1), "memoryGiB": _most(ids, "memoryGiB", 2)} if {
	ids := _types[place]
}

_most(ids, asked, field) := sum([part |
	some at, id in ids
	pool := input.request.cluster.pools[at]
	part := pool.most * max([pool[asked], catalog.types[id][field]])
])

# METADATA
# description: USD per hour in a place when every pool is at its largest; null where a price is not published.
largest_price(place) := _price([[input.request.cluster.pools[at].most, prices.cost(id, place)] |
	some at, id in _types[place]
])

_total(ids, field) := sum([part |
	some at, id in ids
	part := nodes[at][1] * catalog.types[id][field]
])

# USD per hour in millionths: sums of integers do not depend on the order.
_price(parts) := round(sum([cost |
	some part in parts
	cost := part[0] * part[1]
]) * 1000000) / 1000000 if {
	every part in parts {
		part[1] != null
	}
} else := null

# Pools without a type in any remaining place, by their index in the specification.
_homeless[index] := pool if {
	input.request.cluster
	count(offers) == 0
	some index, pool in input.request.cluster.pools
	count(_found[index]) == 0
}

_text(pool) := sprintf("%s (%s)", [pool.name, concat(", ", [part | some part in _parts(pool)])])

_parts(pool) := array.concat([sprintf("%d vCPU, %d GiB", [pool.cpu, pool.memoryGiB])], array.concat(_gpu_part(pool), _type_part(pool)))

_gpu_part(pool) := [sprintf("%d GPU", [pool.gpu]) | pool.gpu > 0]

_type_part(pool) := [concat(" ", ["type", pool.instanceType]) | pool.instanceType != null]

# METADATA
# description: The step's label - the pools that fit nowhere, otherwise all pools.
label := concat(" ", ["pool", concat(", ", [_text(pool) | some pool in _homeless])]) if count(_homeless) > 0

label := concat(" ", ["every pool of", concat(", ", [pool.name | some pool in input.request.cluster.pools])]) if {
	count(_homeless) == 0
}

# METADATA
# description: The part of a denial that names the pool that fits nowhere.
default why := ""

why := concat(" ", [": no machine for", label]) if {
	input.request.cluster
	count(offers) == 0
	count(cluster.remaining) > 0
}

# METADATA
# description: Denials for GPUs and types that no region offers.
denials contains denial if {
	count(cluster.remaining) > 0
	some index, pool in _homeless
	pool.gpu > 0
	pool.instanceType == null
	not _sold(pool.gpu)
	denial := {
		"code": "POL_GPU",
		"message": sprintf("pool %s requests %d GPU per node, but no remaining region offers that", [pool.name, pool.gpu]),
		"field": sprintf("spec.nodePools[%d].gpu", [index]),
		"actual": pool.gpu,
		"allowed": null,
	}
}

_sold(gpus) if {
	some name, ids in _places
	some id in catalog.gpuIds[name]
	_gpus(id) >= gpus
	some place in ids
	region.offers_type(place, id)
}

denials contains denial if {
	count(cluster.remaining) > 0
	some pool in _homeless
	pool.instanceType != null
	denial := {
		"code": "POL_INSTANCE_TYPE",
		"message": sprintf("spec.poolInstanceTypes.%s %s %s", [pool.name, pool.instanceType, _why_not(pool)]),
		"field": sprintf("spec.poolInstanceTypes.%s", [pool.name]),
		"actual": pool.instanceType,
		"allowed": _text(object.union(pool, {"instanceType": null})),
	}
}

# The first reason that holds against the type of a pool.
_why_not(pool) := "is not a type of the catalog" if {
	count(_sellers(pool)) == 0
} else := sprintf("is a type of %s, of which no place remains", [concat(", ", _sellers(pool))]) if {
	count(_known(pool)) == 0
} else := sprintf("has the architecture %s, and nodes are amd64", [catalog.types[id][4]]) if {
	id := _known(pool)[0]
	catalog.types[id][4] != "amd64"
} else := sprintf("has %v vCPU, %v GiB: not adequate for pool %s", [catalog.types[id][1], catalog.types[id][2], _text(object.union(pool, {"instanceType": null}))]) if {
	id := _known(pool)[0]
	not _adequate(id, pool)
} else := sprintf("has %v vCPU, %v GiB: %s takes nodes of %v vCPU and %v GiB or more", [catalog.types[id][1], catalog.types[id][2], name, clusters.floors[name].cpu, clusters.floors[name].memoryGiB]) if {
	id := _known(pool)[0]
	name := _sellers(pool)[0]
	_refused(name, id)
} else := sprintf("is of the family %s, which the namespace's landfall.dev/families does not allow", [catalog.types[_known(pool)[0]][6]]) if {
	not _family_allowed(_known(pool)[0])
} else := "is not offered in the remaining regions"

_sellers(pool) := sort([name | some name, _ in catalog.typeIds; _types_at(name)[pool.instanceType]])

_types_at(name) := object.union(catalog.typeIds[name], object.get(catalog.gpuIds, name, {}))

# The type by the provider of places that remain.
_known(pool) := [id | some name, ids in _places; count(ids) > 0; id := _types_at(name)[pool.instanceType]]

# METADATA
# description: The reason why this rule refuses the only place that the object allows.
refusal(place) := {
	"code": "POL_FLAVOUR",
	"message": sprintf("%s offers no type for %s", [catalog.places[place].key, label]),
	"field": "spec.nodePools",
	"actual": null,
	"allowed": null,
} if {
	count(denials) == 0
}
