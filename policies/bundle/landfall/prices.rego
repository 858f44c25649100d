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
# description: True where the type is offered, with or without a price. Reading the number would take ten times as long.
is_offered(id, place) if {
	price := _written(id, place)
	not price in _absent
}

# METADATA
# description: True where a price is published.
is_published(id, place) if {
	price := _written(id, place)
	not price in _unpublished
}

_absent := {"", "-1       ", -1}

_unpublished := _absent | {"null     ", null}

# METADATA
# description: USD per hour of what runs or is to run - null where it is not known, also of a type that runs and is not offered any more.
cost(id, place) := price if {
	price := of(id, place)
	price != -1
} else := null

# METADATA
# description: USD per hour of a spot machine; undefined where it is not known.
spot(id, place) := price if {
	price := _at(catalog.spot[format_int(id, 10)], catalog.places[place].column)
	price > 0
}

_written(id, place) := _column(catalog.types[id][3], catalog.places[place].column)

_at(prices, column) := json.unmarshal(_column(prices, column)) if is_string(prices)

_at(prices, column) := _column(prices, column) if is_array(prices)

# The characters of a price, none after the last.
_column(prices, column) := substring(prices, column * _width, _width) if {
	is_string(prices)
	column >= 0
}

# Earlier bundles and data images have lists.
_column(prices, column) := prices[column] if is_array(prices)
