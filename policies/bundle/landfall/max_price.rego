# METADATA
# title: Limit of the price
# description: |
#   Removes the places whose machine costs more per hour than the object allows. A price that is not published is above every limit.
package landfall.max_price

import data.landfall.capacity
import data.landfall.catalog
import data.landfall.flavour
import data.landfall.pool

# METADATA
# description: USD per hour, the object's own limit; null for none.
default limit := null

limit := input.request.maxPricePerHour

# METADATA
# description: True if the rule could remove a place; the step is then shown.
default active := false

active if limit != null

# METADATA
# description: Places with their types, at a price within the limit.
offers := flavour.offers if not active

offers := [offer |
	some offer in flavour.offers
	price := _price(offer)
	price != null
	_millionths(price) <= _millionths(limit)
] if active

_price(offer) := capacity.price(offer) if not input.request.cluster

# A cluster may cost as much as with all its pools at their largest.
_price(offer) := pool.largest_price(offer[0]) if input.request.cluster

# What a limit can say: six decimals.
_millionths(price) := max([1, round(price * 1000000)])

# As maxPrice is written: without an exponent, and without zeros at the end.
_text(price) := trim_suffix(trim_right(sprintf("%d.%06d", [floor(_millionths(price) / 1000000), _millionths(price) % 1000000]), "0"), ".")

# METADATA
# description: Places within the limit.
remaining := [offer[0] | some offer in offers]

# METADATA
# description: The step's label.
label := sprintf("at most %s USD per hour", [input.spec.maxPrice])

# METADATA
# description: The denial of an object whose limit is below every price, with the lowest one.
denials contains denial if {
	active
	count(flavour.offers) > 0
	count(offers) == 0
	denial := {
		"code": "POL_MAX_PRICE",
		"message": sprintf("no place that remains costs at most %s USD per hour%s", [input.spec.maxPrice, _cheapest_text]),
		"field": "spec.maxPrice",
		"actual": input.spec.maxPrice,
		"allowed": _cheapest_price,
	}
}

_priced := sort([[price, catalog.places[offer[0]].key] |
	some offer in flavour.offers
	price := _price(offer)
	price != null
])

default _cheapest_price := null

_cheapest_price := _text(_priced[0][0]) if count(_priced) > 0

_cheapest_text := ": no price is published there" if {
	count(_priced) == 0
	capacity.asked != "spot"
}

_cheapest_text := ": the catalog has no spot prices there, so that no limit can be checked for spec.capacity spot" if {
	count(_priced) == 0
	capacity.asked == "spot"
}

_cheapest_text := sprintf("; the cheapest is %s for %s", [_priced[0][1], _cheapest_price]) if count(_priced) > 0
