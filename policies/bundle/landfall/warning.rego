# METADATA
# title: What people should know though nothing is wrong
package landfall.warning

import data.landfall.catalog
import data.landfall.flavour
import data.landfall.latency
import data.landfall.schedule
import data.landfall.scope

# METADATA
# description: Few and short; kubectl shows each.
all := [warning |
	some warning in [_default_origin, _estimates, _prices]
	warning != null
]

default _default_origin := null

_default_origin := {
	"code": "POL_ORIGIN_DEFAULT",
	"message": concat(" ", ["maxLatency is measured from the platform's origin", scope.origin.place]),
} if {
	latency.active
	scope.origin.field == "settings.origin"
}

default _estimates := null

_estimates := {
	"code": "POL_LATENCY_ESTIMATED",
	"message": concat(" ", [
		"the round trip to", format_int(count(_estimated), 10), "of", format_int(count(flavour.offers), 10),
		"places is estimated from the distance",
	]),
} if {
	count(_estimated) > 0
}

_estimated := [offer[0] |
	latency.active
	codes := latency.known.source
	some offer in flavour.offers
	catalog.latency.sources[codes[offer[0]]] == "estimated"
]

default _prices := null

_prices := {
	"code": "POL_PRICE_UNKNOWN",
	"message": concat(" ", [
		"no price is published for", format_int(count(_unpriced), 10), "of", format_int(count(flavour.offers), 10), "places",
	]),
} if {
	count(_unpriced) > 0
}

_unpriced := [offer[0] |
	schedule.objective.price > 0
	some offer in flavour.offers
	catalog.types[offer[1]][3][catalog.places[offer[0]].column] == null
]
