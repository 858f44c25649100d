package landfall.region_test

import data.landfall.fixture
import data.landfall.region

test_every_place_remains_without_a_request if {
	fixture.keys(region.remaining) == ["aws/eu-west-1", "azure/eastus", "azure/italynorth", "elemento/ovh-fr-paris", "gcp/europe-west6"] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_step_is_omitted_without_a_request if {
	not region.active with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_pinned_region_leaves_one_place if {
	fixture.keys(region.remaining) == ["azure/italynorth"] with input as fixture.asking({}, {"region": "italynorth"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_pinned_region_is_the_only_one if {
	region.only == 2 with input as fixture.asking({}, {"provider": "azure", "region": "italynorth"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_without_a_pinned_region_there_is_no_only_one if {
	not region.only with input as fixture.asking({}, {"provider": "elemento"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_known_region_is_not_denied if {
	region.denials == set() with input as fixture.asking({}, {"region": "italynorth"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_an_unknown_region_is_denied if {
	{d.code | some d in region.denials} == {"POL_UNKNOWN_REGION"} with input as fixture.asking({}, {"region": "moon"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_region_of_another_provider_is_denied if {
	{[d.code, d.allowed] | some d in region.denials} == {["POL_UNKNOWN_REGION", "aws"]} with input as fixture.asking({}, {"provider": "aws", "region": "italynorth"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_mistyped_region_shows_similar_ones if {
	{d.message | some d in region.denials} == {"spec.schedulingLocation italysouth is not a region of azure; similar: italynorth"} with input as fixture.asking({}, {"provider": "azure", "region": "italysouth"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_an_unknown_provider_has_its_own_denial if {
	region.denials == set() with input as fixture.asking({}, {"provider": "hetzner", "region": "fsn1"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_region_of_a_forbidden_provider_is_denied if {
	{[d.code, d.actual] | some d in region.denials} == {["POL_PROVIDER", "aws/eu-west-1"]} with input as fixture.asking({}, {"region": "eu-west-1"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"providers": ["azure"]})
		with data.landfall.images as fixture.images
}

test_denied_places_are_removed if {
	fixture.keys(region.remaining) == ["aws/eu-west-1", "azure/italynorth", "elemento/ovh-fr-paris", "gcp/europe-west6"] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"places": {"denied": ["azure/eastus"]}})
		with data.landfall.images as fixture.images
}

test_only_allowed_places_are_kept if {
	fixture.keys(region.remaining) == ["azure/eastus"] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"places": {"allowed": ["azure/eastus", "aws/eu-west-1"], "denied": ["aws/eu-west-1"]}})
		with data.landfall.images as fixture.images
}

test_the_step_names_the_list if {
	region.label == "places that platform and namespace allow" with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"places": {"allowed": ["azure/eastus"]}})
		with data.landfall.images as fixture.images
}

test_the_step_names_pins if {
	region.label == "region eu-west-1 zone eu-west-1b" with input as fixture.asking({}, {"region": "eu-west-1", "zone": "eu-west-1b"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_place_that_is_not_allowed_is_refused if {
	region.refusal(0).code == "POL_REGION" with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"places": {"allowed": ["azure/eastus"]}})
		with data.landfall.images as fixture.images
}

test_a_zone_leaves_its_region if {
	fixture.keys(region.remaining) == ["aws/eu-west-1"] with input as fixture.asking({}, {"zone": "eu-west-1c"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_zone_of_gcp_leaves_its_region if {
	fixture.keys(region.remaining) == ["gcp/europe-west6"] with input as fixture.asking({}, {"zone": "europe-west6-a"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_number_is_a_zone_of_azure if {
	fixture.keys(region.remaining) == ["azure/eastus", "azure/italynorth"] with input as fixture.asking({}, {"zone": "2"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_zone_of_the_pinned_region_is_not_denied if {
	region.denials == set() with input as fixture.asking({}, {"region": "eu-west-1", "zone": "eu-west-1b"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_zone_of_another_region_is_denied if {
	{d.code | some d in region.denials} == {"POL_ZONE"} with input as fixture.asking({}, {"region": "eu-west-1", "zone": "us-east-1a"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

_zones := {
	"aws/eu-west-1": ["eu-west-1a", "eu-west-1b"],
	"azure/eastus": [],
	"azure/italynorth": ["1", "2", "3"],
	"gcp/europe-west6": ["europe-west6-b"],
}

_zoned := object.union(fixture.catalog, {"places": [object.union(place, {"zones": zones}) |
	some place in fixture.places
	zones := object.get(_zones, place.key, [])
]})

_zone_denials(pins, operation) := denials if {
	denials := region.denials with input as object.union(fixture.asking({}, pins), {"operation": operation})
		with data.landfall.catalog as _zoned
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_zone_that_the_region_does_not_have_is_denied_with_those_that_it_has[zone] if {
	some zone, [where, allowed] in {
		"eu-west-1f": ["eu-west-1", "eu-west-1a, eu-west-1b"],
		"1": ["eastus", "no zones"],
		"4": ["italynorth", "1, 2, 3"],
		"europe-west6-a": ["europe-west6", "europe-west6-b"],
		"a": ["ovh-fr-paris", "no zones"],
	}
	[denial] := [found | some found in _zone_denials({"region": where, "zone": zone}, "CREATE")]
	[denial.code, denial.field, denial.actual, denial.allowed] == ["POL_ZONE", "spec.zone", zone, object.get({"no zones": "another region"}, allowed, allowed)]
	denial.message == sprintf("spec.zone %s is not a zone of %s, which has %s", [zone, where, allowed])
}

test_a_zone_without_a_region_leaves_the_regions_that_have_it if {
	places := {fixture.places[id].key | some id in region.remaining} with input as object.union(fixture.asking({}, {"zone": "1"}), {"operation": "CREATE"})
		with data.landfall.catalog as _zoned
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	places == {"azure/italynorth"}
}

test_what_runs_in_a_zone_that_the_catalog_does_not_know_is_not_denied if {
	_zone_denials({"region": "eastus", "zone": "1"}, "UPDATE") == set()
	_zone_denials({"region": "eu-west-1", "zone": "eu-west-1f"}, "UPDATE") == set()
}

test_elemento_has_no_zones if {
	{d.code | some d in region.denials} == {"POL_ZONE"} with input as fixture.asking({}, {"region": "ovh-fr-paris", "zone": "1"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_an_existing_network_requires_provider_and_region if {
	{[d.code, d.field, d.message] | some d in region.denials} == {["POL_NETWORK_UNPINNED", "spec.provider", "spec.network.existing is set, but spec.provider and spec.schedulingLocation are not: a network belongs to one region"]} with input as fixture.asking({"existingNetwork": true}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_an_existing_network_names_the_field_that_it_lacks[missing] if {
	some missing, pin in {"spec.provider": {"region": "eu-west-1"}, "spec.schedulingLocation": {"provider": "aws"}}
	expected := {["POL_NETWORK_UNPINNED", missing, sprintf("spec.network.existing is set, but %s is not: a network belongs to one region", [missing])]}
	found := {[d.code, d.field, d.message] | some d in region.denials} with input as fixture.asking({"existingNetwork": true}, pin)
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	found == expected
}

test_an_existing_network_with_both_is_not_denied if {
	region.denials == set() with input as fixture.asking({"existingNetwork": true}, {"provider": "aws", "region": "eu-west-1"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_namespace_narrows_the_places_down if {
	fixture.keys(region.remaining) == ["azure/eastus"] with input as fixture.from_namespace({}, {"landfall.dev/regions": "azure/eastus, aws/eu-west-1"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"places": {"allowed": [], "denied": ["aws/eu-west-1"]}})
		with data.landfall.images as fixture.images
}

test_a_namespaces_places_are_a_list if {
	fixture.keys(region.remaining) == ["azure/eastus"] with input as fixture.from_namespace({}, {"landfall.dev/regions": "azure/eastus"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_zone_of_elemento_without_a_contract_is_removed if {
	fixture.keys(region.remaining) == ["aws/eu-west-1", "azure/eastus", "azure/italynorth", "gcp/europe-west6"] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"elemento": {"contracted": ["ionos"]}})
		with data.landfall.images as fixture.images
}

test_a_zone_of_elemento_with_a_contract_remains if {
	"elemento/ovh-fr-paris" in fixture.keys(region.remaining) with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"elemento": {"contracted": ["ionos", "ovh"]}})
		with data.landfall.images as fixture.images
}

test_a_refusal_names_the_zones_with_a_contract if {
	denial := region.refusal(region.only) with input as fixture.asking({}, {"region": "ovh-fr-paris"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"elemento": {"contracted": ["ionos"]}})
		with data.landfall.images as fixture.images
	[denial.code, denial.actual, denial.allowed] == ["POL_ELEMENTO_ZONE", "elemento/ovh-fr-paris", "ionos"]
}

_only(places) := object.union(object.remove(fixture.settings, ["places"]), {"places": places})

test_lists_of_places_can_be_missing if {
	count(region.remaining) == count(fixture.places) - 1 with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _only({"denied": ["azure/eastus"]})
	count(region.remaining) == 1 with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _only({"allowed": ["azure/eastus"]})
	count(region.remaining) == count(fixture.places) with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _only({})
}

test_a_zone_is_not_a_region[zone] if {
	some zone in ["eu-west-1a", "europe-west6-b"]
	[entry] := [entry | some entry in region.denials] with input as fixture.asking({}, {"region": zone})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	entry.message == sprintf("spec.schedulingLocation %s is a zone of %s, and not a region", [zone, trim_right(trim_right(zone, "ab"), "-")])
}
