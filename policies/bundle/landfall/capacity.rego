# METADATA
# title: Capacity
# description: On-demand or spot machines. A spot price that is not known never wins, and is never taken for lower.
package landfall.capacity

import data.landfall.catalog
import data.landfall.features
import data.landfall.prices
import data.landfall.run

# METADATA
# description: The capacity that the object or its earlier decision asks for; null for none.
default asked := null

asked := input.spec.capacityType if {
	input.spec.capacityType
} else := input.spec.capacity if {
	input.spec.capacity
}

# METADATA
# description: True if the object asks for a capacity; its machines are then described with it.
default active := false

active if asked != null

_reasons[provider] := why if {
	some provider, kinds in object.get(catalog, "impossible", {})
	why := kinds[input.request.kind].spot
}

# METADATA
# description: provider -> why it sells no spot machines; empty unless the object asks for one.
cannot[provider] := why if {
	asked == "spot"
	some provider, why in _reasons
}

# provider -> why it sells its burstable types on demand only
_on_demand_only[provider] := why if {
	some provider, unsupported in features.unsupported
	why := object.get(unsupported, "burstableSpot", "")
	why != ""
}

# METADATA
# description: The same for an object that asks for spot; empty for any other.
no_burstable := _on_demand_only if asked == "spot"

no_burstable := {} if asked != "spot"

# METADATA
# description: The provider, and why it does not sell a type as the object asks; undefined if it does.
unsold(place, type) := [provider, no_burstable[provider]] if {
	provider := catalog.places[place].provider
	catalog.types[type][5] == "burstable"
}

_stops := "spec.whenDone" if {
	run.when_done == "stop"
} else := "spec.interruptible" if {
	input.spec.interruptible
}

_asks_to_stop := concat(" and ", array.concat(
	["whenDone stop" | run.when_done == "stop"],
	["interruptible" | input.spec.interruptible],
))

_is_spot(_) if asked == "spot"

_is_spot(offer) if {
	asked == "either"
	not _stops
	not _reasons[catalog.places[offer[0]].provider]
	not _only_on_demand(offer)
	spot := prices.spot(offer[1], offer[0])
	spot < prices.of(offer[1], offer[0])
	prices.of(offer[1], offer[0]) != null
}

_only_on_demand(offer) if {
	catalog.types[offer[1]][5] == "burstable"
	_on_demand_only[catalog.places[offer[0]].provider]
}

# METADATA
# description: The capacity of an offer, and USD per hour - null where the price is not known.
choice(offer) := ["spot", _spot_price(offer)] if _is_spot(offer)

choice(offer) := ["on-demand", prices.cost(offer[1], offer[0])] if not _is_spot(offer)

_spot_price(offer) := prices.spot(offer[1], offer[0])

_spot_price(offer) := null if not prices.spot(offer[1], offer[0])

# METADATA
# description: USD per hour of the machine of an offer, as it is bought.
price(offer) := choice(offer)[1] if active

price(offer) := prices.cost(offer[1], offer[0]) if not active

# METADATA
# description: Denials for spot machines where none is sold, that would be stopped, and for contradictions.
denials contains denial if {
	why := cannot[input.request.pin.provider]
	denial := {
		"code": "POL_SPOT",
		"message": sprintf("%s sells no spot machines: %s", [input.request.pin.provider, why]),
		"field": "spec.capacity",
		"actual": "spot",
		"allowed": sprintf("spot at %s", [concat(" or ", [name | some name in sort(object.keys(catalog.impossible)); not cannot[name]])]),
	}
}

denials contains denial if {
	asked == "spot"
	denial := {
		"code": "POL_SPOT_STOP",
		"message": sprintf("spec.capacity spot does not go with %s: a spot machine cannot be stopped and started by plan, because the provider decides whether it has one", [_asks_to_stop]),
		"field": _stops,
		"actual": "spot",
		"allowed": "on-demand",
	}
}

denials contains denial if {
	wish := input.spec.capacity
	not wish in {"either", input.spec.capacityType}
	denial := {
		"code": "POL_CAPACITY_TYPE",
		"message": sprintf("spec.capacityType %s is not what spec.capacity allows (%s)", [input.spec.capacityType, wish]),
		"field": "spec.capacityType",
		"actual": input.spec.capacityType,
		"allowed": wish,
	}
}
