# METADATA
# title: The decision of the policies
# description: |
#   One answer for one object: the places that every rule allows, what each rule removed, and what is wrong.
#   schemas/policy-input.schema.json and schemas/policy-result.schema.json are the contract.
package landfall.main

import data.landfall.additions
import data.landfall.asked
import data.landfall.capacity
import data.landfall.catalog
import data.landfall.cluster
import data.landfall.exemption
import data.landfall.feature
import data.landfall.flavour
import data.landfall.image
import data.landfall.latency
import data.landfall.licence
import data.landfall.max_price
import data.landfall.naming
import data.landfall.network
import data.landfall.pool
import data.landfall.provider
import data.landfall.quota
import data.landfall.region
import data.landfall.residency
import data.landfall.retention
import data.landfall.run
import data.landfall.schedule
import data.landfall.scope
import data.landfall.warning

# METADATA
# description: The result that Landfall reads (PolicyResult).
# entrypoint: true
result := {
	"denials": denials,
	"warnings": warning.all,
	"considered": count(catalog.places),
	"candidates": candidates,
	"rejected": rejected,
	"funnel": funnel,
	"defaults": {"os": scope.os, "osDisk": scope.os_disk, "whenDone": run.when_done},
	"origin": _origin,
	"latencyDefault": latency.preferred,
	"objective": schedule.objective,
	"horizonSeconds": schedule.horizon_seconds,
	"schedule": schedule.limits,
	"quota": quota.limits,
	"write": schedule.write,
}

# METADATA
# description: |
#   The same answer in compact form: places and types as ids in data.landfall.catalog, and the places after each step.
#   The webhook reads this one and adds the names itself (src/policy/expand-answer.ts): serialising the names of 150
#   candidates takes longer than the evaluation.
# entrypoint: true
compact := {
	"denials": denials,
	"warnings": warning.all,
	"considered": count(catalog.places),
	"offers": quota.offers,
	"ms": [ms[offer[0]] | ms := latency.known.ms; some offer in quota.offers],
	"source": warning.sources,
	"images": image.by_provider,
	"pools": pool.nodes,
	"clusters": [pool.choice(offer[0]) | input.request.cluster; some offer in quota.offers],
	"capacities": [capacity.choice(offer) | capacity.active; some offer in quota.offers],
	"zone": _pinned_zone,
	"steps": [[step.rule, concat(": ", [_label(step.rule), _left(index, count(step.after))]), _unsaid(index, last, step)] | last := count(_shown) - 1; some index, step in _shown],
	"defaults": {"os": scope.os, "osDisk": scope.os_disk, "whenDone": run.when_done},
	"origin": _origin,
	"latencyDefault": latency.preferred,
	"objective": schedule.objective,
	"horizonSeconds": schedule.horizon_seconds,
	"schedule": schedule.limits,
	"quota": quota.limits,
	"write": schedule.write,
}

# The offers are the places after the last step.
_unsaid(index, last, step) := step.after if index < last

_unsaid(last, last, _) := null

default _pinned_zone := null

_pinned_zone := input.request.pin.zone

default _origin := null

_origin := scope.origin.place if scope.origin.place != ""

# METADATA
# description: Every place that no rule removed, with the machine that would run there.
candidates := _machines if not input.request.cluster

candidates := [object.union(machine, pool.detail(catalog.placeIds[machine.place])) | some machine in _machines] if input.request.cluster

_machines := [candidate |
	places := catalog.places
	types := catalog.types
	ms := latency.known.ms
	codes := latency.known.source
	sources := catalog.latency.sources
	images := image.by_provider
	some offer in quota.offers
	place := places[offer[0]]
	type := types[offer[1]]
	candidate := object.union(_bought(offer), {
		"place": place.key,
		"provider": place.provider,
		"region": place.region,
		"zone": _zone(offer),
		"instanceType": type[0],
		"vcpus": type[1],
		"memoryGiB": type[2],
		"pricePerHour": capacity.price(offer),
		"latencyMs": ms[offer[0]],
		"latencySource": sources[codes[offer[0]]],
		"electricityZone": place.electricityZone,
		"image": _image(images, place),
	})
]

_bought(offer) := {"capacity": capacity.choice(offer)[0]} if capacity.active

_bought(_) := {} if not capacity.active

# The nodes of a cluster use the provider's own image.
_image(images, place) := images[place.provider] if not input.request.cluster

_image(_, _) := null if input.request.cluster

# A cluster has several zones, or all.
_zone(_) := null if input.request.cluster

_zone(offer) := region.zone_for(offer[0], offer[1]) if {
	input.request.pin.zone == null
	not input.request.cluster
}

_zone(_) := input.request.pin.zone if input.request.pin.zone != null

# The rules in order, with the places before and after each.
_steps := [
	{"rule": "provider", "active": provider.active, "before": provider.all_places, "after": provider.remaining},
	{"rule": "region", "active": region.active, "before": provider.remaining, "after": region.remaining},
	{"rule": "residency", "active": residency.active, "before": region.remaining, "after": residency.remaining},
	{"rule": "latency", "active": latency.active, "before": residency.remaining, "after": latency.remaining},
	{"rule": "image", "active": image.active, "before": latency.remaining, "after": image.remaining},
	{"rule": "feature", "active": feature.active, "before": image.remaining, "after": feature.remaining},
	{"rule": "custom", "active": additions.active, "before": feature.remaining, "after": additions.remaining},
	{"rule": "cluster", "active": cluster.active, "before": additions.remaining, "after": cluster.remaining},
	{"rule": "flavour", "active": true, "before": cluster.remaining, "after": flavour.offers},
	{"rule": "maxPrice", "active": max_price.active, "before": flavour.offers, "after": max_price.offers},
	{"rule": "quota", "active": quota.active, "before": max_price.offers, "after": quota.offers},
]

# After the last place is removed, later rules do not apply.
_shown := [step |
	some step in _steps
	step.active
	count(step.before) > 0
]

# METADATA
# description: How many places each rule left.
funnel := [{"rule": step.rule, "text": concat(": ", [_label(step.rule), _left(index, left)]), "remaining": left} |
	some index, step in _shown
	left := count(step.after)
]

_left(index, left) := "none remains" if {
	left == 0
} else := concat(" ", [format_int(left, 10), "of", format_int(count(catalog.places), 10), "regions remain"]) if {
	index == 0
} else := "1 remains" if {
	left == 1
} else := concat(" ", [format_int(left, 10), "remain"])

_label("provider") := provider.label

_label("region") := region.label

_label("residency") := residency.label

_label("latency") := latency.label

_label("image") := image.label

_label("feature") := feature.label

_label("custom") := additions.label

_label("cluster") := cluster.label

_label("flavour") := flavour.label

_label("maxPrice") := max_price.label

_label("quota") := quota.label

# METADATA
# description: The places that each rule was the first to remove.
rejected[step.rule] := removed if {
	some step in _steps
	count(step.after) < count(step.before)
	kept := {place | some place in _left_places(step)}
	removed := [catalog.places[place].key | some place in _places_before(step); not kept[place]]
}

# The last steps return offers (places with types); the others return places.
_left_places(step) := flavour.remaining if {
	step.rule == "flavour"
} else := quota.remaining if {
	step.rule == "quota"
} else := max_price.remaining if {
	step.rule == "maxPrice"
} else := step.after

_places_before(step) := flavour.remaining if {
	step.rule == "maxPrice"
} else := max_price.remaining if {
	step.rule == "quota"
} else := step.before

# METADATA
# description: The denials, sorted by code and message.
denials := array.concat(_found, _ended) if count(_found) > 0

denials := array.concat([_nothing_fits], _ended) if {
	count(_found) == 0
	count(quota.offers) == 0
}

denials := [] if {
	count(_found) == 0
	count(quota.offers) > 0
}

# A denial names an expired exemption, which may be why the object passed before.
_ended := [exemption.denial(entry) | some entry in exemption.expired]

_found := [entry[2] | some entry in sort([[denial.code, denial.message, denial] | some denial in _all_denials])]

_all_denials := (((((((scope.denials | run.denials) | network.denials) | image.denials) | (licence.denials | retention.denials)) | provider.denials) | region.denials) | residency.denials) | ((flavour.denials | ((capacity.denials | max_price.denials) | _refusals)) | ((quota.denials | naming.denials) | ((cluster.denials | pool.denials) | additions.denials)))

default _noun := "VM"

_noun := "cluster" if input.request.kind == "KaasCluster"

_nothing_fits := {
	"code": "PLACEMENT_NONE",
	"message": concat("", ["no region can run this ", _noun, pool.why, _by_field]),
	"field": _culprit[0],
	"actual": _culprit[1],
	"allowed": null,
}

# The field of the object that the rule reads which removed the last place.
default _culprit := [null, null]

_culprit := asked.by[_emptied_by]

_emptied_by := [step.rule | some step in _steps; count(step.before) > 0; count(step.after) == 0][0]

default _by_field := ""

_by_field := sprintf(": %s leaves none%s", [concat(" ", [part | some value in _culprit; value != null; part := sprintf("%v", [value])]), _why]) if {
	_culprit[0] != null
	pool.why == ""
}

# What the only provider that remained lacks, or which limits of others the areas of the object contradict.
default _why := ""

_why := sprintf(" (%s)", [concat(", ", limits)]) if {
	_emptied_by == "residency"
	limits := [sprintf("%s allows %s", [floor.field, concat(", ", floor.areas)]) |
		some floor in scope.residency_floors
		not startswith(floor.field, "spec.")
	]
	count(limits) > 0
}

_why := sprintf(" (%s: %s)", [name, feature.lacking[name]]) if {
	_emptied_by == "feature"
	names := {catalog.places[id].provider | some id in image.remaining}
	count(names) == 1
	some name in names
}

# If the object allows only one place, the rule that refuses it gives the reason.
_refusals contains _refusal(refused_by, region.only) if {
	refused_by := [step.rule |
		region.only
		some step in _steps
		count(step.before) > 0
		count(step.after) == 0
	][0]
}

_refusal("region", place) := region.refusal(place)

_refusal("residency", place) := residency.refusal(place)

_refusal("latency", place) := latency.refusal(place)

_refusal("image", place) := image.refusal(place)

_refusal("feature", place) := feature.refusal(place)

_refusal("custom", place) := additions.refusal(place)

_refusal("cluster", place) := cluster.refusal(place)

_refusal("flavour", place) := flavour.refusal(place)

_refusal("quota", place) := quota.refusal(place)
