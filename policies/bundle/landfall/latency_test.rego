package landfall.latency_test

import data.landfall.fixture
import data.landfall.latency

test_every_place_remains_without_a_limit if {
	fixture.keys(latency.remaining) == ["aws/eu-west-1", "azure/eastus", "azure/italynorth", "elemento/ovh-fr-paris", "gcp/europe-west6"] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_step_is_omitted_without_a_limit if {
	not latency.active with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_limit_leaves_the_near_places if {
	fixture.keys(latency.remaining) == ["azure/italynorth", "elemento/ovh-fr-paris"] with input as fixture.asking({"maxLatencyMs": 30}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_limit_is_inclusive if {
	fixture.keys(latency.remaining) == ["azure/italynorth", "elemento/ovh-fr-paris"] with input as fixture.asking({"maxLatencyMs": 20}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_an_unknown_round_trip_does_not_meet_a_limit if {
	not 4 in latency.remaining with input as fixture.asking({"maxLatencyMs": 10000}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_origin_is_the_one_of_the_object if {
	fixture.keys(latency.remaining) == ["aws/eu-west-1"] with input as fixture.asking({"maxLatencyMs": 20, "origin": "aws/eu-west-1"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_an_unknown_origin_removes_nothing if {
	fixture.keys(latency.remaining) == ["aws/eu-west-1", "azure/eastus", "azure/italynorth", "elemento/ovh-fr-paris", "gcp/europe-west6"] with input as fixture.asking({"maxLatencyMs": 20, "origin": "azure/moon"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_an_unknown_origin_has_no_latency if {
	latency.known.ms == [null, null, null, null, null] with input as fixture.asking({"origin": "azure/moon"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_estimates_can_be_forbidden if {
	fixture.keys(latency.remaining) == ["azure/italynorth"] with input as fixture.asking({"maxLatencyMs": 30}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"latency": {"estimates": false}})
		with data.landfall.images as fixture.images
}

test_forbidden_estimates_are_unknown if {
	latency.known == {"ms": [30.5, 100, 1, null, null], "source": [2, 2, 1, 0, 0]} with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"latency": {"estimates": false}})
		with data.landfall.images as fixture.images
}

test_the_step_names_limit_and_origin if {
	latency.label == "maxLatency 30 ms from azure/italynorth" with input as fixture.asking({"maxLatencyMs": 30}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_refusal_gives_the_sufficient_limit if {
	[latency.refusal(0).code, latency.refusal(0).allowed] == ["POL_LATENCY", 31] with input as fixture.asking({"maxLatencyMs": 10}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_refusal_reports_an_unknown_round_trip if {
	[latency.refusal(4).code, latency.refusal(4).allowed] == ["POL_LATENCY", null] with input as fixture.asking({"maxLatencyMs": 10}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_an_object_cannot_raise_the_limit_of_its_namespace if {
	asked := fixture.from_namespace({"maxLatencyMs": 10000}, {"landfall.dev/max-latency": "30"}, {})
	fixture.keys(latency.remaining) == ["azure/italynorth", "elemento/ovh-fr-paris"] with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_an_object_cannot_move_the_origin_of_the_limit if {
	asked := fixture.from_namespace({"origin": "aws/eu-west-1"}, {"landfall.dev/max-latency": "30"}, {})
	fixture.keys(latency.remaining) == ["azure/italynorth", "elemento/ovh-fr-paris"] with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	latency.label == "maxLatency 30 ms from azure/italynorth" with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_an_object_with_an_origin_of_its_own_keeps_both_limits if {
	asked := fixture.from_namespace({"maxLatencyMs": 20, "origin": "aws/eu-west-1"}, {"landfall.dev/max-latency": "30"}, {})
	latency.remaining == [] with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	latency.refusal(0).message == "aws/eu-west-1 is 30.5 ms from azure/italynorth, more than maxLatency 30 ms" with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	latency.refusal(2).actual == 20 with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_limit_from_another_place_makes_the_rule_active if {
	asked := fixture.from_namespace({"origin": "aws/eu-west-1"}, {"landfall.dev/max-latency": "30"}, {})
	latency.active with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_forbidden_estimates_hold_for_the_namespaces_limit_too if {
	asked := fixture.from_namespace({"origin": "aws/eu-west-1"}, {"landfall.dev/max-latency": "30", "landfall.dev/estimates": "false"}, {})
	fixture.keys(latency.remaining) == ["azure/italynorth"] with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_namespaces_limit_from_a_place_without_known_round_trips_leaves_no_place if {
	asked := fixture.from_namespace({"origin": "aws/eu-west-1"}, {"landfall.dev/max-latency": "30", "landfall.dev/origin": "gcp/europe-west6"}, {})
	latency.remaining == [] with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

_near := fixture.with_settings({"latency": {"max": null, "default": 100, "estimates": true}})

test_an_object_that_says_nothing_of_its_place_has_the_default_limit if {
	latency.preferred == {"ms": 100, "origin": "azure/italynorth"} with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _near
		with data.landfall.images as fixture.images
}

test_the_default_limit_removes_no_place_by_itself if {
	count(latency.remaining) == 5 with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _near
		with data.landfall.images as fixture.images
}

test_any_other_wish_or_limit_replaces_the_default[case] if {
	some case, [asked, settings] in {
		"maxLatency": [fixture.asking({"maxLatencyMs": 500}, {}), _near],
		"residency": [fixture.asking({"dataResidency": ["EU"]}, {}), _near],
		"region": [fixture.asking({"pin": {"provider": "azure", "region": "italynorth"}}, {}), _near],
		"namespace": [fixture.from_namespace({}, {"landfall.dev/max-latency": "30"}, {}), _near],
		"platform": [fixture.asking({}, {}), object.union(_near, {"latency": {"max": 50}})],
		"no default": [fixture.asking({}, {}), fixture.with_settings({"latency": {"default": null}})],
		"settings from before": [fixture.asking({}, {}), fixture.settings],
	}
	latency.preferred == null with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as settings
		with data.landfall.images as fixture.images
}
