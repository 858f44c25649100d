# METADATA
# title: Price of a machine
# description: |
#   The catalog has the prices of a type by region as a text with columns of equal width: as a list of numbers, they would
#   take most of the module's memory.
package landfall.prices

import data.landfall.catalog

# Characters of a price; src/model/bundle-format/packed-prices.ts writes them.
_width := 9

# METADATA
# description: USD per hour of a type in a place - null where it is not published, -1 where the type is not offered.
of(id, place) := _at(catalog.types[id][3], catalog.places[place].column)

# METADATA
# description: USD per hour of a spot machine; undefined where it is not known.
spot(id, place) := price if {
	price := _at(catalog.spot[format_int(id, 10)], catalog.places[place].column)
	price > 0
}

_at(prices, column) := json.unmarshal(substring(prices, column * _width, _width)) if {
	is_string(prices)
	column >= 0
}

# Earlier bundles and data images have lists.
_at(prices, column) := prices[column] if is_array(prices)
