package landfall.flavour_test

import data.landfall.additions
import data.landfall.fixture
import data.landfall.flavour
import data.landfall.main

test_the_cheapest_adequate_type_of_each_place if {
	{fixture.places[offer[0]].key: fixture.catalog.types[offer[1]][0] | some offer in flavour.offers} == {"aws/eu-west-1": "m.small", "azure/eastus": "D2", "azure/italynorth": "D2", "elemento/ovh-fr-paris": "neon", "gcp/europe-west6": "n-2"} with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_type_that_is_too_small_is_skipped if {
	{fixture.places[offer[0]].key: fixture.catalog.types[offer[1]][0] | some offer in flavour.offers} == {"aws/eu-west-1": "m.large", "azure/eastus": "D2m", "gcp/europe-west6": "n-2"} with input as fixture.asking({"memoryGiB": 5}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_instead_of_a_type_another_one_of_its_series_is_taken if {
	_instead(["D2"], {}) == set()
	_instead(["n-2"], {}) == {["gcp/europe-west6", "n-4"]}
	_instead(["n-2", "n-4"], {}) == {["gcp/europe-west6", "n-8"]}
	_instead(["n-2", "n-4", "n-8"], {}) == set()
	_instead(["n-2"], {"cpu": 5}) == {["gcp/europe-west6", "n-8"]}
	_instead(["n-2"], {"arch": "arm64"}) == set()
}

_series := object.union(fixture.catalog, {
	"types": array.concat(fixture.catalog.types, [
		["n-4", 4, 16, [0.3], "amd64", "standard", "general"],
		["n-8", 8, 16, [0.6], "amd64", "standard", "general"],
		["m-4", 4, 16, [0.2], "amd64", "standard", "general"],
	]),
	"typeIds": object.union(fixture.catalog.typeIds, {"gcp": {"n-2": 7, "n-4": 11, "n-8": 12, "m-4": 13}}),
})

_instead(types, asked) := found if {
	found := {[fixture.places[offer[0]].key, _series.types[offer[1]][0]] | some offer in flavour.offers} with input as fixture.asking(object.union({"instead": types}, asked), {})
		with data.landfall.catalog as _series
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_machine_that_is_there_gets_a_type_into_which_its_provider_changes_it if {
	_resized("n-2", {}, {}) == {"n-2"}
	_resized("n-2", {"cpu": 4}, {}) == {"n-4"}
	_resized("m-4", {"cpu": 4}, {}) == {"m-4"}
	_resized("m-4", {}, {}) == {"m-4"}
	_resized("m-4", {"cpu": 8}, {}) == set()
	_resized("n-2", {}, {"instanceType": "n-4"}) == {"n-4"}
	_resized("n-2", {}, {"instanceType": "n-2"}) == {"n-2"}
	_resized("n-2", {}, {"instanceType": "m-4"}) == set()
	_resized("gone", {}, {"instanceType": "m-4"}) == set()
}

test_a_catalog_without_groups_changes_every_type if {
	{name | [_, name] := _offered_for(_series, {"installedType": "n-2", "cpu": 4}, {})[_]; name == "m-4"} == {"m-4"}
}

_grouped := object.union(_series, {"resizeGroups": {"gcp": {"n-2": "n", "n-4": "n", "n-8": "n", "m-4": "m"}}})

_resized(from, asked, pin) := {name |
	[place, name] := _offered_for(_grouped, object.union({"installedType": from}, asked), pin)[_]
	startswith(place, "gcp/")
}

_offered_for(catalog, asked, pin) := found if {
	found := {[fixture.places[offer[0]].key, catalog.types[offer[1]][0]] | some offer in flavour.offers} with input as fixture.asking(asked, pin)
		with data.landfall.catalog as catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_size_that_no_provider_offers_leaves_no_place if {
	flavour.remaining == [] with input as fixture.asking({"memoryGiB": 16}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_size_outside_the_grid_leaves_no_place if {
	flavour.remaining == [] with input as fixture.asking({"memoryGiB": 1000000}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_burstable_types_only_on_request if {
	{fixture.places[offer[0]].key: fixture.catalog.types[offer[1]][0] | some offer in flavour.offers}["azure/eastus"] == "B2" with input as fixture.asking({"burstable": true}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_burstable_type_must_be_adequate_too if {
	{fixture.places[offer[0]].key: fixture.catalog.types[offer[1]][0] | some offer in flavour.offers}["azure/eastus"] == "D2m" with input as fixture.asking({"burstable": true, "memoryGiB": 8}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_arm64_types_only_on_request if {
	{fixture.places[offer[0]].key: fixture.catalog.types[offer[1]][0] | some offer in flavour.offers} == {"azure/eastus": "D2p"} with input as fixture.asking({"arch": "arm64"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_named_type_is_used_if_it_is_offered if {
	{fixture.places[offer[0]].key: fixture.catalog.types[offer[1]][0] | some offer in flavour.offers} == {"azure/eastus": "D2", "azure/italynorth": "D2"} with input as fixture.asking({}, {"instanceType": "D2"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_named_type_need_not_be_the_cheapest if {
	{fixture.places[offer[0]].key: fixture.catalog.types[offer[1]][0] | some offer in flavour.offers} == {"azure/eastus": "D2m"} with input as fixture.asking({}, {"instanceType": "D2m"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_named_type_that_fits_is_not_denied if {
	flavour.denials == set() with input as fixture.asking({}, {"instanceType": "D2m"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_named_type_that_is_too_small_is_denied if {
	{d.message | some d in flavour.denials} == {"spec.instanceType D2 has 2 vCPU, 4 GiB, amd64: not adequate for 2 vCPU, 8 GiB, amd64"} with input as fixture.asking({"memoryGiB": 8}, {"instanceType": "D2"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_named_type_of_another_architecture_is_denied if {
	{d.message | some d in flavour.denials} == {"spec.instanceType D2p has 2 vCPU, 4 GiB, arm64: not adequate for 2 vCPU, 4 GiB, amd64"} with input as fixture.asking({}, {"instanceType": "D2p"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

_without_burstable := object.union(
	fixture.asking({}, {"instanceType": "B2"}),
	{"spec": {"burstable": false, "instanceType": "B2"}},
)

test_a_named_burstable_type_is_denied_if_the_object_takes_none if {
	{d.message | some d in flavour.denials} == {"spec.instanceType B2 is burstable, and spec.burstable is false"} with input as _without_burstable
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_so_it_is_in_the_only_place_that_remains if {
	eastus := fixture.catalog.placeIds["azure/eastus"]
	flavour.refusal(eastus).message == "spec.instanceType B2 in azure/eastus is burstable, and spec.burstable is false" with input as _without_burstable
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_named_burstable_type_is_used_if_the_object_says_nothing_of_it if {
	{fixture.catalog.types[offer[1]][0] | some offer in flavour.offers} == {"B2"} with input as fixture.asking({}, {"instanceType": "B2"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_named_type_that_does_not_exist_is_denied if {
	{d.message | some d in flavour.denials} == {"spec.instanceType Z80 is not a type of the catalog"} with input as fixture.asking({}, {"instanceType": "Z80"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_named_type_of_another_provider_is_denied if {
	{d.message | some d in flavour.denials} == {"spec.instanceType m.small is a type of aws, of which no place remains"} with input as fixture.asking({}, {"instanceType": "m.small", "provider": "azure"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_step_names_the_size if {
	flavour.label == "2 vCPU, 4 GiB" with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_step_names_all_requirements if {
	flavour.label == "2 vCPU, 4 GiB, arm64, burstable allowed, type D2p" with input as fixture.asking({"arch": "arm64", "burstable": true}, {"instanceType": "D2p"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_refusal_names_the_size if {
	flavour.refusal(2).message == "azure/italynorth offers no type of 2 vCPU, 8 GiB" with input as fixture.asking({"memoryGiB": 8}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_refusal_of_a_type_says_that_it_is_not_offered if {
	flavour.refusal(2).message == "spec.instanceType D2m in azure/italynorth is not offered there" with input as fixture.asking({}, {"instanceType": "D2m"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_refusal_of_a_type_says_that_there_is_none if {
	flavour.refusal(2).message == "spec.instanceType Z80 in azure/italynorth is not a type of the catalog" with input as fixture.asking({}, {"instanceType": "Z80"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_refusal_of_a_type_says_which_provider_has_it if {
	flavour.refusal(2).message == "spec.instanceType m.small in azure/italynorth is a type of aws" with input as fixture.asking({}, {"instanceType": "m.small"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_refusal_of_a_type_gives_its_size if {
	flavour.refusal(2).message == "spec.instanceType D2 in azure/italynorth has 2 vCPU, 4 GiB, amd64: not adequate for 2 vCPU, 8 GiB, amd64" with input as fixture.asking({"memoryGiB": 8}, {"instanceType": "D2"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_one_place_that_is_left_gives_the_type_as_the_reason if {
	{d.message | some d in flavour.denials} == {"spec.instanceType D2 in azure/italynorth has 2 vCPU, 4 GiB, amd64: not adequate for 2 vCPU, 8 GiB, amd64"} with input as fixture.asking({"memoryGiB": 8}, {"instanceType": "D2"})
		with additions.remaining as {2}
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

_offered := {fixture.places[offer[0]].key: fixture.catalog.types[offer[1]][0] | some offer in flavour.offers}

_narrowed(changes, pins, families) := object.union(
	fixture.asking(changes, pins),
	{"namespace": {"annotations": {"landfall.dev/families": families}}},
)

test_a_namespace_narrows_the_families_down if {
	_offered == {"aws/eu-west-1": "m.large", "azure/eastus": "D2m"} with input as _narrowed({}, {}, "memory")
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_narrowed_families_still_offer_the_cheapest if {
	_offered["azure/eastus"] == "B2" with input as _narrowed({"burstable": true}, {}, "general, memory, burstable")
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	_offered["azure/eastus"] == "D2" with input as _narrowed({}, {}, "general, memory, burstable")
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_pinned_type_must_be_in_an_allowed_family if {
	_offered == {} with input as _narrowed({}, {"instanceType": "D2"}, "memory")
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	_offered == {"azure/eastus": "D2m"} with input as _narrowed({}, {"instanceType": "D2m"}, "memory")
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

_sizes(place, names, spare) := found if {
	provider := fixture.places[place].provider
	ids := {name: id | some index, name in names; id := index + 11}
	rows := [[name, 4, 16, [0.3 + index], "amd64", "standard", "general"] | some index, name in names]
	catalog := object.union(fixture.catalog, {
		"types": array.concat(fixture.catalog.types, rows),
		"typeIds": object.union(fixture.catalog.typeIds, {provider: ids}),
	})
	found := {catalog.types[offer[1]][0] | some offer in flavour.offers; fixture.places[offer[0]].provider == provider} with input as fixture.asking({"instead": spare}, {})
		with data.landfall.catalog as catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

_place_of(provider) := [index | some index, place in fixture.places; place.provider == provider][0]

test_of_equal_prices_the_smallest_size_is_taken if {
	rows := [[concat("", ["n-", name]), cpu, 64, [null], "amd64", "standard", "general"] | some name, cpu in {"96": 96, "4": 4, "8": 8}]
	first := count(fixture.catalog.types)
	ids := {row[0]: id | some at, row in rows; id := first + at}
	grown := object.union(fixture.catalog, {
		"types": array.concat(fixture.catalog.types, rows),
		"typeIds": object.union(fixture.catalog.typeIds, {"gcp": ids}),
	})
	[grown.types[offer[1]][0] | some offer in flavour.offers] == ["n-4"] with input as fixture.asking({"instead": ["n-2"]}, {})
		with data.landfall.catalog as grown
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_series_of_aws_ends_at_the_point if {
	_sizes(_place_of("aws"), ["m7i.large", "m7a.xlarge", "m7i.xlarge"], ["m7i.large"]) == {"m7i.xlarge"}
}

test_a_series_of_azure_has_the_same_letters_and_version if {
	names := ["Standard_D2as_v5", "Standard_D4as_v6", "Standard_D4s_v5", "Standard_D8as_v5"]
	_sizes(_place_of("azure"), names, ["Standard_D2as_v5"]) == {"Standard_D8as_v5"}
}

test_a_named_type_of_a_family_that_is_not_allowed_is_denied if {
	{d.message | some d in flavour.denials} == {"spec.instanceType D2 is of the family general, which the namespace's landfall.dev/families does not allow"} with input as _narrowed({}, {"instanceType": "D2"}, "memory")
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_named_type_that_no_place_sells_is_denied if {
	{d.message | some d in flavour.denials} == {"spec.instanceType D2m is not offered in the remaining regions"} with input as fixture.asking({}, {"instanceType": "D2m"})
		with data.landfall.catalog as object.union(fixture.catalog, {"types": [_unsold(index, row) | some index, row in fixture.catalog.types]})
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

_unsold(3, row) := [row[0], row[1], row[2], [-1, -1], row[4], row[5], row[6]]

_unsold(index, row) := row if index != 3

# n-2 is sold in zone a alone, and n-4 in zones a and c; zone b is the usual one.
_sold_by_zone := object.union(_series, {
	"places": [object.union(place, {"zones": [sprintf("%s-%s", [place.region, letter]) | some letter in ["a", "b", "c"]]}) | some place in fixture.places],
	"typeZonesOf": {"gcp": {"n-2": 0, "n-4": 1, "n-8": 2}},
	"typeZones": [
		[null, null, null, null, _zones_of_n2],
		[null, null, null, null, ["europe-west6-a", "europe-west6-c"]],
		[null, null, null, null, null],
	],
})

_in_place(asked, pin) := {[name, zone] |
	some [name, zone] in _candidates_in(asked, pin)
}

_candidates_in(asked, pin) := found if {
	found := {[candidate.instanceType, candidate.zone] | some candidate in main.result.candidates} with input as object.union(fixture.asking(asked, object.union({"provider": "gcp", "region": "europe-west6"}, pin)), {"operation": "CREATE"})
		with data.landfall.catalog as _sold_by_zone
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_machine_is_made_in_a_zone_that_has_its_type if {
	_in_place({}, {}) == {["n-2", "europe-west6-a"]}
	_in_place({}, {"instanceType": "n-4"}) == {["n-4", "europe-west6-a"]}
	_in_place({}, {"instanceType": "m-4"}) == {["m-4", "europe-west6-b"]}
}

# As after an older data image with prices of types that no zone has.
test_a_type_that_no_zone_has_is_not_offered if {
	_in_place({}, {}) == set() with data.landfall.flavour_test._zones_of_n2 as []
	_in_place({}, {"instanceType": "n-2"}) == set() with data.landfall.flavour_test._zones_of_n2 as []
	_in_place({}, {"zone": "europe-west6-b"}) == {["m-4", "europe-west6-b"]} with data.landfall.flavour_test._zones_of_n2 as []
}

test_the_next_choice_is_taken_if_no_zone_has_the_first if {
	zoneless := object.union(fixture.catalog, {"typeZonesOf": {"aws": {"m.small": 0}}, "typeZones": [[[], null, null, null, null]]})
	{fixture.catalog.types[offer[1]][0] | some offer in flavour.offers; offer[0] == 0} == {"m.large"} with input as fixture.asking({}, {})
		with data.landfall.catalog as zoneless
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_machine_keeps_a_type_that_is_not_offered_any_more_without_a_price if {
	pin := {"zone": "europe-west6-b", "instanceType": "n-2"}
	catalog := object.union(_sold_by_zone, {"types": [_gone(index, row) | some index, row in _sold_by_zone.types]})
	[[one.instanceType, one.pricePerHour] | some one in _left({"installedType": "n-2"}, pin, catalog)] == [["n-2", null]]
	_left({}, pin, catalog) == []
	_left({"installedType": "n-4"}, pin, catalog) == []
}

_gone(7, row) := [row[0], row[1], row[2], [-1], row[4], row[5], row[6]]

_gone(index, row) := row if index != 7

_left(asked, pin, catalog) := found if {
	found := main.result.candidates with input as object.union(fixture.asking(asked, object.union({"provider": "gcp", "region": "europe-west6"}, pin)), {"operation": "UPDATE"})
		with data.landfall.catalog as catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

_zones_of_n2 := ["europe-west6-a"]

test_in_a_zone_only_its_types_are_offered if {
	_in_place({}, {"zone": "europe-west6-a"}) == {["n-2", "europe-west6-a"]}
	_in_place({}, {"zone": "europe-west6-b"}) == {["m-4", "europe-west6-b"]}
	_in_place({}, {"zone": "europe-west6-c", "instanceType": "n-4"}) == {["n-4", "europe-west6-c"]}
	_in_place({}, {"zone": "europe-west6-b", "instanceType": "n-4"}) == set()
}

test_a_machine_that_is_there_stays_in_its_zone if {
	_in_place({"installedType": "n-4"}, {"zone": "europe-west6-b", "instanceType": "n-4"}) == {["n-4", "europe-west6-b"]}
	_in_place({"installedType": "n-4"}, {"instanceType": "n-4"}) == {["n-4", "europe-west6-b"]}
}

test_a_machine_that_is_there_gets_no_type_that_its_zone_lacks if {
	_in_place({"installedType": "n-2", "cpu": 4}, {"zone": "europe-west6-b"}) == {["m-4", "europe-west6-b"]}
	_in_place({"installedType": "n-2", "cpu": 4}, {"zone": "europe-west6-b", "instanceType": "n-4"}) == set()
	_in_place({"installedType": "n-2", "cpu": 8}, {"zone": "europe-west6-b"}) == {["n-8", "europe-west6-b"]}
}

test_a_type_that_the_zone_lacks_is_denied_with_its_zones if {
	pin := {"provider": "gcp", "region": "europe-west6", "zone": "europe-west6-b", "instanceType": "n-4"}
	[denial] := [found | some found in main.denials] with input as object.union(fixture.asking({}, pin), {"operation": "CREATE"})
		with data.landfall.catalog as _sold_by_zone
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	denial.code == "POL_INSTANCE_TYPE"
	denial.message == "spec.instanceType n-4 in gcp/europe-west6 is only in europe-west6-a, europe-west6-c"
}

test_a_zone_without_an_adequate_type_is_named if {
	pin := {"provider": "gcp", "region": "europe-west6", "zone": "europe-west6-b"}
	[denial] := [found | some found in main.denials] with input as object.union(fixture.asking({"cpu": 16}, pin), {"operation": "CREATE"})
		with data.landfall.catalog as _sold_by_zone
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	denial.message == "gcp/europe-west6 offers no type of 16 vCPU, 4 GiB, zone europe-west6-b"
}
