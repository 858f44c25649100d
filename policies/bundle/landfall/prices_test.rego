package landfall.prices_test

import data.landfall.prices

_catalog(prices) := {
	"places": [{"column": 0}, {"column": 1}, {"column": 2}, {"column": -1}],
	"types": [["a", 2, 4, prices]],
}

_text := "0.0198   -1       null     "

test_a_price_is_read_from_a_text if {
	prices.of(0, 0) == 0.0198 with data.landfall.catalog as _catalog(_text)
	prices.of(0, 1) == -1 with data.landfall.catalog as _catalog(_text)
	prices.of(0, 2) == null with data.landfall.catalog as _catalog(_text)
}

test_a_price_is_read_from_a_list if {
	prices.of(0, 0) == 0.0198 with data.landfall.catalog as _catalog([0.0198, -1, null])
	prices.of(0, 2) == null with data.landfall.catalog as _catalog([0.0198, -1, null])
}

test_a_place_without_a_column_has_no_price if {
	not prices.of(0, 3) with data.landfall.catalog as _catalog(_text)
}
