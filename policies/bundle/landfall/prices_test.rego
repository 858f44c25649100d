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

_offered(written) := offered if {
	offered := [place | some place in [0, 1, 2, 3]; prices.is_offered(0, place)] with data.landfall.catalog as _catalog(written)
}

_published(written) := published if {
	published := [place | some place in [0, 1, 2, 3]; prices.is_published(0, place)] with data.landfall.catalog as _catalog(written)
}

test_a_type_is_offered_with_and_without_a_published_price if {
	_offered(_text) == [0, 2]
	_offered([0.0198, -1, null]) == [0, 2]
}

test_a_price_is_published_where_it_is_a_number if {
	_published(_text) == [0]
	_published([0.0198, -1, null]) == [0]
}

test_a_text_that_is_too_short_offers_nothing if _offered("0.0198   ") == [0]
