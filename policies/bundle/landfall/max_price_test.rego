package landfall.max_price_test

import data.landfall.fixture
import data.landfall.main
import data.landfall.max_price
import data.landfall.pool

_asking(limit, pins) := object.union(fixture.asking({"maxPricePerHour": limit}, pins), {"spec": {"maxPrice": sprintf("%v", [limit])}})

test_without_a_limit_nothing_is_removed if {
	not max_price.active with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

_result(limit, pins) := result if {
	result := main.result with input as _asking(limit, pins)
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

_keys(result) := {candidate.place | some candidate in result.candidates}

test_a_price_equal_to_the_limit_is_within_it if _keys(_result(0.12, {})) == {"aws/eu-west-1", "azure/eastus", "azure/italynorth"}

test_a_dearer_place_and_one_without_a_price_are_removed if {
	result := _result(0.1, {})
	_keys(result) == {"aws/eu-west-1", "azure/eastus"}
	result.rejected.maxPrice == ["azure/italynorth", "elemento/ovh-fr-paris", "gcp/europe-west6"]
	result.denials == []
}

test_a_limit_below_every_price_is_denied_with_the_lowest if {
	[denial] := _result(0.01, {}).denials
	denial.code == "POL_MAX_PRICE"
	denial.field == "spec.maxPrice"
	denial.allowed == "0.1"
	contains(denial.message, "the cheapest is aws/eu-west-1 for 0.1")
}

_cheap(prices) := object.union(fixture.catalog, {"types": [array.concat(array.slice(type, 0, 3), array.concat([prices], array.slice(type, 4, count(type)))) | some type in fixture.catalog.types]})

_lowest(price) := denial.allowed if {
	[denial] := main.denials with input as object.union(fixture.asking({"maxPricePerHour": 0.000001}, {}), {"spec": {"maxPrice": "0.000001"}})
		with data.landfall.catalog as _cheap([price, price])
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_price_is_written_as_the_field_wants_it[text] if {
	some text, price in {"0.00001": 0.00001, "0.000002": 0.000002, "0.09999": 0.09999, "2": 2, "10.5": 10.5, "0.3": 0.1 + 0.2}
	_lowest(price) == text
}

test_places_without_any_price_are_denied_as_such if {
	[denial] := _result(5, {"provider": "elemento"}).denials
	denial.code == "POL_MAX_PRICE"
	denial.allowed == null
	contains(denial.message, "no price is published there")
}

test_a_cluster_counts_with_its_pools_at_their_largest if {
	largest := [pool.largest_price(offer[0]) | some offer in max_price.offers] with input as _growing
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
	count(largest) > 0
	every price in largest {
		price <= 0.45
	}
}

_growing := object.union(
	fixture.cluster([fixture.node_pool({"most": 4})], {}, {}, {}),
	{"request": {"maxPricePerHour": 0.45}, "spec": {"maxPrice": "0.45"}},
)

test_spot_without_published_prices_says_so if {
	asked := object.union(_asking(5, {"provider": "aws"}), {"spec": {"capacityType": "spot"}})
	[denial] := main.denials with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	denial.code == "POL_MAX_PRICE"
	contains(denial.message, "the catalog has no spot prices there")
}
