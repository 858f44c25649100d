# METADATA
# title: Round trip to the origin
# description: |
#   A place without a known round trip remains only if there is no limit: a limit that cannot be checked is not met.
package landfall.latency

import data.landfall.catalog
import data.landfall.residency
import data.landfall.scope

# METADATA
# description: True if the rule could remove a place; the step is then shown.
default active := false

active if {
	scope.max_latency != null
	catalog.placeIds[scope.origin.place]
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

known := {"ms": [_unless_estimated(ms, null, _row.source[id]) | some id, ms in _row.ms], "source": [_unless_estimated(code, 0, code) | some code in _row.source]} if {
	not scope.estimates
}

_unless_estimated(value, _, code) := value if code != estimated

_unless_estimated(_, instead, code) := instead if code == estimated

# METADATA
# description: Places whose round trip is known and short enough.
remaining := residency.remaining if not active

remaining := [id |
	ms := known.ms
	limit := scope.max_latency
	some id in residency.remaining
	rtt := ms[id]
	rtt != null
	rtt <= limit
] if active

# METADATA
# description: The step's label.
label := concat(" ", ["maxLatency", format_int(scope.max_latency, 10), "ms from", scope.origin.place])

# METADATA
# description: The reason why this rule refuses the only place that the object allows.
refusal(id) := {
	"code": "POL_LATENCY",
	"message": sprintf("%s is %v ms from %s, more than maxLatency %v ms", [
		catalog.places[id].key, rtt,
		scope.origin.place, scope.max_latency,
	]),
	"field": "spec.maxLatency",
	"actual": scope.max_latency,
	"allowed": ceil(rtt),
} if {
	rtt := known.ms[id]
	rtt != null
}

refusal(id) := {
	"code": "POL_LATENCY",
	"message": sprintf("no round trip between %s and %s is known, so maxLatency %v ms cannot be guaranteed", [
		catalog.places[id].key, scope.origin.place,
		scope.max_latency,
	]),
	"field": "spec.maxLatency",
	"actual": scope.max_latency,
	"allowed": null,
} if {
	known.ms[id] == null
}
