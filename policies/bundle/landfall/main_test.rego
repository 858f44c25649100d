package landfall.main_test

import data.landfall.fixture
import data.landfall.main

test_nothing_is_denied_if_a_place_fits if {
	main.result.denials == [] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_every_place_is_considered if {
	main.result.considered == 5 with input as fixture.asking({"dataResidency": ["EU"]}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_candidate_has_all_fields if {
	main.result.candidates == [{
		"place": "azure/italynorth",
		"provider": "azure",
		"region": "italynorth",
		"zone": null,
		"instanceType": "D2",
		"vcpus": 2,
		"memoryGiB": 4,
		"pricePerHour": 0.12,
		"latencyMs": 1,
		"latencySource": "local",
		"electricityZone": "IT",
		"image": "C:u:s:l",
	}] with input as fixture.asking({"dataResidency": ["IT"]}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_unknown_values_are_null if {
	[c.latencySource | some c in main.result.candidates; c.latencyMs == null] == [null] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_provider_that_requires_a_zone_gets_one if {
	{c.zone | some c in main.result.candidates} == {"eu-west-1a", null, "europe-west6-b"} with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_pinned_zone_is_kept if {
	[c.zone | some c in main.result.candidates] == ["eu-west-1c"] with input as fixture.asking({}, {"zone": "eu-west-1c"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_funnel_counts_step_by_step if {
	[step.text | some step in main.result.funnel] == [
		"residency [EU]: 3 of 5 regions remain",
		"maxLatency 25 ms from azure/italynorth: 2 remain",
		"2 vCPU, 5 GiB: none remains",
	] with input as fixture.asking({"dataResidency": ["EU"], "maxLatencyMs": 25, "memoryGiB": 5}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_funnel_ends_when_no_place_remains if {
	[step.remaining | some step in main.result.funnel] == [0] with input as fixture.asking({"dataResidency": ["KE"]}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_funnel_reports_the_last_place if {
	[step.text | some step in main.result.funnel] == ["provider azure: 2 of 5 regions remain", "region eastus: 1 remains", "image of debian-12 for amd64: 1 remains", "2 vCPU, 4 GiB: 1 remains"] with input as fixture.asking({"os": "debian-12"}, {"provider": "azure", "region": "eastus"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_each_place_is_rejected_by_the_first_rule if {
	main.result.rejected == {
		"residency": ["azure/eastus", "gcp/europe-west6"],
		"latency": ["aws/eu-west-1"],
		"flavour": ["azure/italynorth", "elemento/ovh-fr-paris"],
	} with input as fixture.asking({"dataResidency": ["EU"], "maxLatencyMs": 25, "memoryGiB": 5}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_nothing_is_rejected_if_all_places_fit if {
	main.result.rejected == {} with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_no_fitting_place_is_a_denial if {
	[[d.code, d.message] | some d in main.result.denials] == [["PLACEMENT_NONE", "no region can run this VM: spec.memory 1000000 leaves none"]] with input as fixture.asking({"memoryGiB": 1000000}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_cluster_is_called_a_cluster if {
	[d.message | some d in main.result.denials] == ["no region can run this cluster: spec.memory 1000000 leaves none"] with input as fixture.asking({"memoryGiB": 1000000, "kind": "KaasCluster"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_pinned_place_that_is_not_allowed_names_its_rule if {
	[d.code | some d in main.result.denials] == ["POL_REGION"] with input as fixture.asking({}, {"region": "eastus"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"places": {"denied": ["azure/eastus"]}})
		with data.landfall.images as fixture.images
}

test_a_pinned_place_outside_the_area_names_its_rule if {
	[d.code | some d in main.result.denials] == ["POL_RESIDENCY"] with input as fixture.asking({"dataResidency": ["EU"]}, {"region": "eastus"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_pinned_place_too_far_names_its_rule if {
	[d.code | some d in main.result.denials] == ["POL_LATENCY"] with input as fixture.asking({"maxLatencyMs": 5}, {"region": "eastus"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_pinned_place_without_an_image_names_its_rule if {
	[d.code | some d in main.result.denials] == ["POL_IMAGE"] with input as fixture.asking({"os": "debian-12"}, {"region": "ovh-fr-paris"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_pinned_place_without_the_size_names_its_rule if {
	[d.code | some d in main.result.denials] == ["POL_FLAVOUR"] with input as fixture.asking({"memoryGiB": 8}, {"region": "italynorth"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_pinned_place_without_the_type_names_its_rule if {
	[d.code | some d in main.result.denials] == ["POL_INSTANCE_TYPE"] with input as fixture.asking({}, {"region": "italynorth", "instanceType": "D2m"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_denials_are_sorted_by_code if {
	[d.code | some d in main.result.denials] == ["POL_NETWORK_UNPINNED", "POL_UNKNOWN_AREA", "POL_UNKNOWN_ORIGIN"] with input as fixture.asking({"existingNetwork": true, "dataResidency": ["XX", "EU"], "origin": "a/b"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_there_is_no_warning_without_a_reason if {
	main.result.warnings == [] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_limit_from_the_default_origin_gives_a_warning if {
	[w.code | some w in main.result.warnings] == ["POL_ORIGIN_DEFAULT"] with input as fixture.asking({"maxLatencyMs": 5}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_estimates_give_a_warning if {
	[w.message | some w in main.result.warnings] == ["the round trip to 2 of 4 places is estimated from the distance"] with input as fixture.asking({"maxLatencyMs": 50, "origin": "aws/eu-west-1"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_unknown_prices_give_a_warning_if_prices_count if {
	[w.message | some w in main.result.warnings] == ["no price is published for 1 of 5 places"] with input as fixture.asking({"optimizeFor": "cost"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_answer_has_the_settings if {
	[main.result.defaults, main.result.horizonSeconds, main.result.write, main.result.objective.carbon] == [{"os": "ubuntu-24.04", "osDisk": {"sizeGiB": null, "type": null}, "whenDone": "keep"}, 86400, ["provider"], 1] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_feature_that_the_pinned_provider_lacks_is_the_reason if {
	result := main.result with input as object.union(fixture.asking({}, {"provider": "elemento", "region": "ovh-fr-paris"}), {"spec": {"ports": [{"port": 22}]}})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	[denial.code | some denial in result.denials] == ["POL_FEATURE"]
	result.rejected.feature == ["elemento/ovh-fr-paris"]
}

test_the_answer_has_the_origin if {
	main.result.origin == "azure/italynorth" with input as fixture.asking({"origin": "azure/italynorth"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_missing_origin_is_null if {
	main.result.origin == null with input as fixture.asking({"origin": null}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as object.union(fixture.settings, {"origin": null})
		with data.landfall.images as fixture.images
}

test_the_compact_answer_has_ids if {
	compact := main.compact with input as fixture.asking({"origin": "azure/italynorth", "dataResidency": ["IT"]}, {"zone": "1"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	[fixture.catalog.places[offer[0]].key | some offer in compact.offers] == ["azure/italynorth"]
	compact.ms == [1]
	[fixture.catalog.latency.sources[code] | some code in compact.source] == ["local"]
	compact.zone == "1"
	[step[0] | some step in compact.steps] == [step.rule | some step in main.funnel] with input as fixture.asking({"dataResidency": ["IT"]}, {"zone": "1"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_an_input_without_a_request_is_denied if {
	compact := main.compact with input as {}
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	compact.offers == []
	compact.zone == null
	[denial.code | some denial in compact.denials] == ["PLACEMENT_NONE"]
}

_none(request, pins, spec) := object.union(fixture.asking(request, pins), {"spec": spec})

_said(asked) := found if {
	found := [[d.field, d.actual, d.message] | some d in main.result.denials] with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {"aws": _nothing, "azure": _nothing, "gcp": _nothing, "elemento": _nothing}}
}

_nothing := {name: "why" | some name in ["ports", "publicIP"]}

test_no_place_names_the_field_that_removed_the_last_one if {
	_said(_none({"maxLatencyMs": 0}, {}, {})) == [["spec.maxLatency", 0, "no region can run this VM: spec.maxLatency 0 leaves none"]]
	_said(_none({"dataResidency": ["KE"]}, {}, {})) == [["spec.dataResidency", "KE", "no region can run this VM: spec.dataResidency KE leaves none"]]
	_said(object.union(_none({"dataResidency": ["US"]}, {}, {}), {"namespace": {"annotations": {"landfall.dev/residency": "EU"}}})) == [["spec.dataResidency", "US", "no region can run this VM: spec.dataResidency US leaves none (namespace landfall.dev/residency allows EU)"]]
	_said(_none({"os": "plan-9"}, {}, {})) == [["spec.os", "plan-9", "no region can run this VM: spec.os plan-9 leaves none"]]
	_said(_none({}, {"image": "!"}, {})) == [["spec.image", "!", "no region can run this VM: spec.image ! leaves none"]]
	_said(_none({"cpu": 4096}, {}, {})) == [["spec.cpu", 4096, "no region can run this VM: spec.cpu 4096 leaves none"]]
	_said(_none({}, {}, {"ports": [{"port": 22}], "network": {"publicIP": true}})) == [["spec.ports", null, "no region can run this VM: spec.ports leaves none"]]
	_said(_none({}, {"provider": "azure"}, {"ports": [{"port": 22}]})) == [["spec.ports", null, "no region can run this VM: spec.ports leaves none (azure: why)"]]
}

test_no_place_for_a_limit_that_is_not_the_objects if {
	[[d.field, d.message] | some d in main.result.denials] == [[null, "no region can run this VM"]] with input as fixture.from_namespace({}, {"landfall.dev/residency": "KE"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}
