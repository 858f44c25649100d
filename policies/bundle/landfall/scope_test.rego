package landfall.scope_test

import data.landfall.fixture
import data.landfall.scope

test_the_objects_origin_comes_first if {
	scope.origin.place == "aws/eu-west-1" with input as fixture.from_namespace({"origin": "aws/eu-west-1"}, {"landfall.dev/origin": "azure/eastus"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_namespaces_origin_comes_second if {
	scope.origin == {"place": "azure/eastus", "field": "namespace landfall.dev/origin"} with input as fixture.from_namespace({}, {"landfall.dev/origin": "azure/eastus"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_platforms_origin_comes_last if {
	scope.origin == {"place": "azure/italynorth", "field": "settings.origin"} with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_platform_may_have_no_origin if {
	scope.origin.place == "" with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"origin": null})
		with data.landfall.images as fixture.images
}

test_a_missing_origin_is_not_denied if {
	scope.denials == set() with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"origin": null})
		with data.landfall.images as fixture.images
}

test_a_limit_without_an_origin_is_denied if {
	{d.code | some d in scope.denials} == {"POL_UNKNOWN_ORIGIN"} with input as fixture.asking({"maxLatencyMs": 10}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"origin": null})
		with data.landfall.images as fixture.images
}

test_a_label_writes_an_underscore_for_a_slash if {
	scope.origin.place == "azure/eastus" with input as fixture.from_namespace({}, {}, {"landfall.dev/origin": "azure_eastus"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_an_annotation_overrides_a_label if {
	scope.origin.place == "azure/eastus" with input as fixture.from_namespace({}, {"landfall.dev/origin": "azure/eastus"}, {"landfall.dev/origin": "aws_eu-west-1"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_an_unknown_origin_is_denied if {
	{[d.code, d.field] | some d in scope.denials} == {["POL_UNKNOWN_ORIGIN", "spec.origin"]} with input as fixture.asking({"origin": "azure/moon"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_known_origin_is_not_denied if {
	scope.denials == set() with input as fixture.asking({"origin": "azure/eastus"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_namespace_narrows_the_providers if {
	scope.providers == ["azure", "gcp"] with input as fixture.from_namespace({}, {"landfall.dev/providers": "gcp, azure"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_label_lists_providers_with_underscores if {
	scope.providers == ["azure", "gcp"] with input as fixture.from_namespace({}, {}, {"landfall.dev/providers": "gcp_azure"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_namespace_cannot_add_a_provider if {
	scope.providers == ["gcp"] with input as fixture.from_namespace({}, {"landfall.dev/providers": "gcp,aws"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"providers": ["gcp", "azure"]})
		with data.landfall.images as fixture.images
}

test_an_unknown_provider_of_a_namespace_is_denied if {
	{d.code | some d in scope.denials} == {"POL_NAMESPACE_SETTING"} with input as fixture.from_namespace({}, {"landfall.dev/providers": "hetzner"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_objects_latency_comes_first if {
	scope.max_latency == 10 with input as fixture.asking({"maxLatencyMs": 10}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"latency": {"max": 50}})
		with data.landfall.images as fixture.images
}

test_the_platforms_latency_comes_second if {
	scope.max_latency == 50 with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"latency": {"max": 50}})
		with data.landfall.images as fixture.images
}

test_a_limit_is_optional if {
	scope.max_latency == null with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_all_residency_lists_apply if {
	[floor.areas | some floor in scope.residency_floors] == [["GDPR"], ["EU"], ["IT", "FR"]] with input as fixture.from_namespace({"dataResidency": ["IT", "FR"]}, {"landfall.dev/residency": "EU"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"residency": ["GDPR"]})
		with data.landfall.images as fixture.images
}

test_residency_is_optional if {
	scope.residency_floors == [] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_objects_os_comes_first if {
	scope.os == "debian-12" with input as fixture.asking({"os": "debian-12"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_platforms_os_comes_second if {
	scope.os == "ubuntu-24.04" with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_objects_objective_comes_first if {
	scope.objective_name == "latency" with input as fixture.from_namespace({"optimizeFor": "latency"}, {"landfall.dev/optimize-for": "cost"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_namespaces_objective_comes_second if {
	scope.objective_name == "cost" with input as fixture.from_namespace({}, {"landfall.dev/optimize-for": "cost"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_platforms_objective_comes_last if {
	scope.objective_name == "carbon" with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_known_objective_of_a_namespace_is_not_denied if {
	scope.denials == set() with input as fixture.from_namespace({}, {"landfall.dev/optimize-for": "cost"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_an_unknown_objective_of_a_namespace_is_denied if {
	{[d.code, d.actual, d.allowed] | some d in scope.denials} == {["POL_NAMESPACE_SETTING", "fame", "carbon, cost"]} with input as fixture.from_namespace({}, {"landfall.dev/optimize-for": "fame"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_platforms_limit_holds_for_an_object_that_asks_for_more if {
	scope.max_latency == 50 with input as fixture.asking({"maxLatencyMs": 60}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"latency": {"max": 50}})
		with data.landfall.images as fixture.images
}

test_a_limit_from_an_unknown_origin_of_the_namespace_is_denied if {
	asked := fixture.from_namespace({"origin": "aws/eu-west-1"}, {"landfall.dev/max-latency": "30", "landfall.dev/origin": "azure/moon"}, {})
	{[d.code, d.field] | some d in scope.denials} == {["POL_UNKNOWN_ORIGIN", "namespace landfall.dev/origin"]} with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_namespace_can_lower_the_default_limit if {
	scope.max_latency == 20 with input as fixture.from_namespace({}, {"landfall.dev/max-latency": "20"}, {})
		with data.landfall.settings as fixture.with_settings({"latency": {"max": 40, "estimates": true}})
	scope.max_latency == 40 with input as fixture.from_namespace({}, {"landfall.dev/max-latency": "60"}, {})
		with data.landfall.settings as fixture.with_settings({"latency": {"max": 40, "estimates": true}})
	scope.max_latency == null with input as fixture.asking({}, {})
		with data.landfall.settings as fixture.settings
}

test_a_namespace_can_forbid_estimates_but_not_allow_them if {
	scope.estimates with input as fixture.asking({}, {})
		with data.landfall.settings as fixture.settings
	not scope.estimates with input as fixture.from_namespace({}, {"landfall.dev/estimates": "false"}, {})
		with data.landfall.settings as fixture.settings
	not scope.estimates with input as fixture.from_namespace({}, {}, {"landfall.dev/estimates": "false"})
		with data.landfall.settings as fixture.settings
	not scope.estimates with input as fixture.from_namespace({}, {"landfall.dev/estimates": "true"}, {})
		with data.landfall.settings as fixture.with_settings({"latency": {"max": null, "estimates": false}})
}

test_a_namespace_can_set_the_os if {
	scope.os == "debian-12" with input as fixture.from_namespace({}, {"landfall.dev/os": "debian-12"}, {})
		with data.landfall.settings as fixture.settings
	scope.os == "rocky-9" with input as fixture.from_namespace({"os": "rocky-9"}, {"landfall.dev/os": "debian-12"}, {})
		with data.landfall.settings as fixture.settings
}

test_the_disk_of_a_machine_has_defaults if {
	scope.os_disk == {"sizeGiB": null, "type": null} with input as fixture.asking({}, {})
		with data.landfall.settings as fixture.settings
	scope.os_disk == {"sizeGiB": 64, "type": "premium"} with input as fixture.from_namespace({}, {"landfall.dev/os-disk-gib": "64"}, {})
		with data.landfall.settings as fixture.with_settings({"osDisk": {"sizeGiB": 40, "type": "premium"}})
	scope.os_disk == {"sizeGiB": 40, "type": "standard"} with input as fixture.from_namespace({}, {}, {"landfall.dev/os-disk-type": "standard"})
		with data.landfall.settings as fixture.with_settings({"osDisk": {"sizeGiB": 40, "type": "premium"}})
	{entry.code | some entry in scope.denials} == set() with input as fixture.from_namespace({}, {"landfall.dev/os-disk-gib": "64", "landfall.dev/os-disk-type": "premium"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
}

test_invalid_settings_of_a_namespace_are_denied if {
	annotations := {
		"landfall.dev/os-disk-gib": "9",
		"landfall.dev/os-disk-type": "tape",
		"landfall.dev/max-latency": "soon",
		"landfall.dev/waiting-cost-percent": "-5",
		"landfall.dev/max-wait": "12 hours",
		"landfall.dev/quota-vcpus": "-1",
		"landfall.dev/estimates": "maybe",
		"landfall.dev/regions": "azure/atlantis",
		"landfall.dev/families": "huge",
		"landfall.dev/when-done": "explode",
	}
	{entry.field | some entry in scope.denials} == {concat(" ", ["namespace", key]) | some key, _ in annotations} with input as fixture.from_namespace({}, annotations, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_settings_of_a_namespace_without_a_value_are_denied[key] if {
	some key in ["residency", "providers", "regions", "families", "name-pattern"]
	asked := fixture.from_namespace({}, {sprintf("landfall.dev/%s", [key]): " ,"}, {})
	[entry] := [entry | some entry in scope.denials] with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	entry.code == "POL_NAMESPACE_SETTING"
	contains(entry.message, `to ""; valid values: `)
}
