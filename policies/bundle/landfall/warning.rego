# METADATA
# title: Warnings
package landfall.warning

import data.landfall.additions
import data.landfall.cluster
import data.landfall.exemption
import data.landfall.image
import data.landfall.latency
import data.landfall.naming
import data.landfall.prices
import data.landfall.quota
import data.landfall.schedule
import data.landfall.scope

# METADATA
# description: Few and short; kubectl shows each.
all := array.concat(
	[warning |
		some warning in [_default_origin, _estimates, _prices, _unchecked]
		warning != null
	],
	array.concat(_exemptions, array.concat(array.concat(array.concat(image.warnings, naming.warnings), cluster.warnings), additions.warnings)),
)

# The active exemptions of this object, and the expired ones.
_exemptions := array.concat(
	[exemption.note(code, entry) | some code, entry in exemption.waived],
	[exemption.ended(entry) | some entry in exemption.expired],
)

default _unchecked := null

_unchecked := {
	"code": "POL_QUOTA_UNCHECKED",
	"message": "the quotas were not checked, because the namespace's usage is not known here",
} if {
	quota.unchecked
}

default _default_origin := null

_default_origin := {
	"code": "POL_ORIGIN_DEFAULT",
	"message": concat(" ", ["maxLatency is measured from the platform's default origin", scope.origin.place]),
} if {
	latency.active
	scope.origin.field == "settings.origin"
}

default _estimates := null

_estimates := {
	"code": "POL_LATENCY_ESTIMATED",
	"message": concat(" ", [
		"the round trip to", format_int(count(_estimated), 10), "of", format_int(count(quota.offers), 10),
		"places is estimated from the distance",
	]),
} if {
	count(_estimated) > 0
}

_estimated := [code |
	latency.active
	estimated := latency.estimated
	some code in sources
	code == estimated
]

# METADATA
# description: For each offer, how its round trip is known.
sources := [codes[offer[0]] |
	codes := latency.known.source
	some offer in quota.offers
]

default _prices := null

_prices := {
	"code": "POL_PRICE_UNKNOWN",
	"message": concat(" ", [
		"no price is published for", format_int(count(_unpriced), 10), "of", format_int(count(quota.offers), 10), "places",
	]),
} if {
	count(_unpriced) > 0
}

_unpriced := [offer[0] |
	schedule.objective.price > 0
	some offer in quota.offers
	not prices.is_published(offer[1], offer[0])
]
