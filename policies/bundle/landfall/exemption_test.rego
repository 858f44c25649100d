package landfall.exemption_test

import data.landfall.exemption
import data.landfall.fixture
import data.landfall.latency
import data.landfall.main
import data.landfall.provider
import data.landfall.region
import data.landfall.residency
import data.landfall.scope
import data.landfall.warning

_entry := {
	"id": "EX-1",
	"owner": "team-network",
	"reason": "moves in spring",
	"expires": "2026-03-31",
	"codes": ["POL_LATENCY", "POL_PROVIDER", "POL_REGION", "POL_RESIDENCY"],
	"namespaces": ["te*"],
	"names": ["web", "api-*"],
}

_exempt(changes, settings) := fixture.with_settings(object.union(settings, {"exemptions": [object.union(_entry, changes)]}))

test_it_applies_to_the_names_that_it_covers if {
	object.keys(exemption.waived) == {"POL_LATENCY", "POL_PROVIDER", "POL_REGION", "POL_RESIDENCY"} with input as fixture.asking({}, {})
		with data.landfall.settings as _exempt({}, {})
}

test_it_does_not_apply_to_other_names if {
	exemption.waived == {} with input as fixture.asking({"name": "db"}, {})
		with data.landfall.settings as _exempt({}, {})
	exemption.waived == {} with input as fixture.asking({}, {})
		with data.landfall.settings as _exempt({"namespaces": ["other"]}, {})
}

test_it_waives_only_exemptable_rules if {
	exemption.waived == {} with input as fixture.asking({}, {})
		with data.landfall.settings as _exempt({}, {"exemptable": ["POL_QUOTA"]})
}

test_a_date_includes_the_whole_day if {
	exemption.waived.POL_LATENCY with input as fixture.asking({}, {})
		with data.landfall.settings as _exempt({"expires": "2026-01-15"}, {})
	not exemption.waived.POL_LATENCY with input as fixture.asking({}, {})
		with data.landfall.settings as _exempt({"expires": "2026-01-14"}, {})
}

test_a_time_is_exact_to_the_second if {
	exemption.waived.POL_LATENCY with input as fixture.asking({}, {})
		with data.landfall.settings as _exempt({"expires": "2026-01-15T12:00:00Z"}, {})
	not exemption.waived.POL_LATENCY with input as fixture.asking({}, {})
		with data.landfall.settings as _exempt({"expires": "2026-01-15T11:59:59Z"}, {})
}

test_it_waives_the_providers_of_platform_and_namespace if {
	object.keys(fixture.catalog.typeIds) == scope.providers with input as fixture.from_namespace({}, {"landfall.dev/providers": "aws"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _exempt({}, {"providers": ["azure"]})
	provider.denials == set() with input as fixture.asking({}, {"provider": "gcp"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _exempt({}, {"providers": ["azure"]})
}

test_it_waives_the_lists_of_places if {
	not region.active with input as fixture.from_namespace({}, {"landfall.dev/regions": "azure/eastus"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _exempt({}, {"places": {"allowed": ["azure/eastus"], "denied": ["aws/eu-west-1"]}})
	fixture.keys(region.remaining) == ["azure/eastus"] with input as fixture.asking({}, {"region": "eastus"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _exempt({}, {"places": {"allowed": ["azure/italynorth"], "denied": ["azure/eastus"]}})
}

test_it_waives_residency_but_not_the_objects_own if {
	[floor.field | some floor in scope.residency_floors] == ["spec.dataResidency"] with input as fixture.from_namespace({"dataResidency": ["EU"]}, {"landfall.dev/residency": "GDPR"}, {})
		with data.landfall.settings as _exempt({}, {"residency": ["EU"]})
	residency.active with input as fixture.asking({"dataResidency": ["EU"]}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _exempt({}, {})
}

test_it_waives_the_default_limit_but_not_the_objects_own if {
	not latency.active with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _exempt({}, {"latency": {"max": 10, "estimates": true}})
	scope.max_latency == 5 with input as fixture.asking({"maxLatencyMs": 5}, {})
		with data.landfall.settings as _exempt({}, {"latency": {"max": 10, "estimates": true}})
}

test_a_warning_names_it if {
	warning.all == [{
		"code": "POL_EXEMPTED",
		"message": "exempt from POL_LATENCY until 2026-03-31 by team-network: moves in spring (EX-1)",
	}] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _exempt({"codes": ["POL_LATENCY"]}, {})
		with data.landfall.images as fixture.images
}

test_a_warning_names_an_expired_one_if_the_object_passes if {
	[entry.code | some entry in main.result.warnings] == ["POL_EXEMPTION_EXPIRED"] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _exempt({"expires": "2025-12-31"}, {})
		with data.landfall.images as fixture.images
	main.result.denials == [] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _exempt({"expires": "2025-12-31"}, {})
		with data.landfall.images as fixture.images
}

test_a_denial_names_an_expired_one if {
	[[entry.code, entry.actual] | some entry in main.result.denials] == [["PLACEMENT_NONE", 4096], ["POL_EXEMPTION_EXPIRED", "2025-12-31"]] with input as fixture.asking({"cpu": 4096}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _exempt({"expires": "2025-12-31"}, {})
		with data.landfall.images as fixture.images
	[entry.code | some entry in main.result.denials] == ["POL_PROVIDER", "POL_EXEMPTION_EXPIRED"] with input as fixture.asking({}, {"provider": "gcp"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _exempt({"expires": "2025-12-31"}, {"providers": ["azure"]})
		with data.landfall.images as fixture.images
}

test_a_renewed_one_is_not_named if {
	exemption.expired == set() with input as fixture.asking({}, {})
		with data.landfall.settings as fixture.with_settings({"exemptions": [
			object.union(_entry, {"expires": "2025-12-31"}),
			_entry,
		]})
}
