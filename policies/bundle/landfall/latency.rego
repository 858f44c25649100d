# METADATA
# title: Round trip to the origin
# description: |
#   A place without a known round trip remains only if there is no limit: a limit that cannot be checked is not met.
package landfall.latency

import data.landfall.catalog
import data.landfall.residency
import data.landfall.scope
import data.landfall.settings

# METADATA
# description: True if the rule could remove a place; the step is then shown.
default active := false

active if _own_active

active if _ceiling_active

default _own_active := false

_own_active if {
	scope.max_latency != null
	catalog.placeIds[scope.origin.place]
}

default _ceiling_active := false

_ceiling_active if {
	scope.latency_ceiling != null
	catalog.placeIds[scope.limit_origin.place]
}

_row := catalog.latency.from[scope.origin.place] if {
	catalog.latency.from[scope.origin.place]
} else := catalog.latency.none

# METADATA
# description: Codes of the ways in which a round trip is known.
estimated := [code | some code, source in catalog.latency.sources; source == "estimated"][0]

# METADATA
# description: By place, the round trip in ms (null if none is known or estimates are not allowed) and how it is known.
known := _row if scope.estimates

known := _measured(_row) if not scope.estimates

_measured(row) := {
	"ms": [_unless_estimated(ms, null, row.source[id]) | some id, ms in row.ms],
	"source": [_unless_estimated(code, 0, code) | some code in row.source],
}

# The round trips from the place that the limits of platform and namespace are measured from.
_ceiling_row := catalog.latency.from[scope.limit_origin.place] if {
	catalog.latency.from[scope.limit_origin.place]
} else := catalog.latency.none

_ceiling_ms := _ceiling_row.ms if scope.estimates

_ceiling_ms := _measured(_ceiling_row).ms if not scope.estimates

_unless_estimated(value, _, code) := value if code != estimated

_unless_estimated(_, instead, code) := instead if code == estimated

# METADATA
# description: Places whose round trips are known and short enough.
remaining := _below_own if not _ceiling_active

remaining := [id | some id in _below_own; _is_within(_ceiling_ms[id], scope.latency_ceiling)] if _ceiling_active

_below_own := residency.remaining if not _own_active

_below_own := [id |
	ms := known.ms
	limit := scope.max_latency
	some id in residency.remaining
	rtt := ms[id]
	rtt != null
	rtt <= limit
] if _own_active

_is_within(rtt, limit) if {
	rtt != null
	rtt <= limit
}

# METADATA
# description: The step's label.
label := concat(" and ", array.concat(
	[_label(scope.max_latency, scope.origin.place) | _own_active],
	[_label(scope.latency_ceiling, scope.limit_origin.place) | _ceiling_active],
))

_label(limit, place) := concat(" ", ["maxLatency", format_int(limit, 10), "ms from", place])

# METADATA
# description: |
#   The limit for an object that says nothing of where it may run; null if there is none, or a limit, a residency or a region is set.
#   It removes no place here: Landfall ignores it if it leaves none.
default preferred := null

preferred := {"ms": limit, "origin": scope.origin.place} if {
	limit := settings.latency["default"]
	limit != null
	input.request.maxLatencyMs == null
	input.request.pin.region == null
	not active
	count(scope.residency_floors) == 0
	catalog.placeIds[scope.origin.place]
}

# METADATA
# description: The reason why this rule refuses the only place that the object allows.
refusal(id) := _refusal(id, known.ms[id], scope.max_latency, scope.origin.place) if {
	_own_active
	not _is_within(known.ms[id], scope.max_latency)
} else := _refusal(id, _ceiling_ms[id], scope.latency_ceiling, scope.limit_origin.place)

_refusal(id, rtt, limit, place) := {
	"code": "POL_LATENCY",
	"message": sprintf("%s is %v ms from %s, more than maxLatency %v ms", [catalog.places[id].key, rtt, place, limit]),
	"field": "spec.maxLatency",
	"actual": limit,
	"allowed": ceil(rtt),
} if {
	rtt != null
}

_refusal(id, null, limit, place) := {
	"code": "POL_LATENCY",
	"message": sprintf("no round trip between %s and %s is known, so maxLatency %v ms cannot be guaranteed", [
		catalog.places[id].key, place,
		limit,
	]),
	"field": "spec.maxLatency",
	"actual": limit,
	"allowed": null,
}
