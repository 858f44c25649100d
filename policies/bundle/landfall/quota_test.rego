package landfall.quota_test

import data.landfall.fixture
import data.landfall.main
import data.landfall.quota
import data.landfall.warning

_limited(limits) := fixture.with_settings({"quotas": {
	"default": object.union(fixture.settings.quotas.default, limits),
	"namespaces": {},
}})

_messages := [entry.message | some entry in quota.denials]

test_without_a_limit_there_is_nothing_to_check if {
	quota.denials == set() with input as fixture.asking({}, {})
		with data.landfall.settings as fixture.settings
	not quota.active with input as fixture.asking({}, {})
		with data.landfall.settings as fixture.settings
}

test_a_request_equal_to_the_rest_is_allowed if {
	quota.denials == set() with input as fixture.asking({}, {})
		with data.landfall.settings as _limited({"objects": 4, "vcpus": 12, "memoryGiB": 44})
}

test_one_object_over_the_limit if {
	_messages == ["namespace team is full: 3 of 3 objects"] with input as fixture.asking({}, {})
		with data.landfall.settings as _limited({"objects": 3})
}

test_too_many_vcpus if {
	[entry] := [entry | some entry in quota.denials] with input as fixture.asking({}, {})
		with data.landfall.settings as _limited({"vcpus": 11})
	entry.code == "POL_QUOTA"
	entry.field == "spec.cpu"
	entry.actual == 2
	entry.allowed == 1
}

test_nothing_is_left_if_usage_exceeds_the_limit if {
	{entry.allowed | some entry in quota.denials} == {0} with input as fixture.asking({}, {})
		with data.landfall.settings as _limited({"memoryGiB": 8})
}

test_a_namespace_with_its_own_limits if {
	settings := fixture.with_settings({"quotas": {
		"default": object.union(fixture.settings.quotas.default, {"vcpus": 4}),
		"namespaces": {"team": {"vcpus": 64}},
	}})
	quota.limits == {"vcpus": 64} with input as fixture.asking({}, {})
		with data.landfall.settings as settings
}

test_an_annotation_only_lowers_a_limit if {
	quota.limits == {"vcpus": 8} with input as fixture.from_namespace({}, {"landfall.dev/quota-vcpus": "8"}, {})
		with data.landfall.settings as _limited({"vcpus": 16})
	quota.limits == {"vcpus": 16} with input as fixture.from_namespace({}, {"landfall.dev/quota-vcpus": "800"}, {})
		with data.landfall.settings as _limited({"vcpus": 16})
	quota.limits == {"objects": 7} with input as fixture.from_namespace({}, {}, {"landfall.dev/quota-objects": "7"})
		with data.landfall.settings as fixture.settings
}

test_the_monthly_budget_removes_places_that_cost_more if {
	fixture.keys(quota.remaining) == ["aws/eu-west-1", "azure/eastus"] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _limited({"pricePerMonth": 175})
		with data.landfall.images as fixture.images
	quota.label == "75 of 175 USD per month left" with input as fixture.asking({}, {})
		with data.landfall.settings as _limited({"pricePerMonth": 175})
}

test_the_step_is_the_last_one if {
	[step.rule | some step in main.result.funnel] == ["flavour", "quota"] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _limited({"pricePerMonth": 175})
		with data.landfall.images as fixture.images
	main.result.rejected.quota == ["azure/italynorth", "elemento/ovh-fr-paris", "gcp/europe-west6"] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _limited({"pricePerMonth": 175})
		with data.landfall.images as fixture.images
}

test_the_refusal_of_the_only_place_reports_the_budget if {
	[entry.message | some entry in main.result.denials] == ["a machine of this size in azure/italynorth costs 88 USD per month (730 hours), with 75 of 175 USD per month left"] with input as fixture.asking({}, {"region": "italynorth"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _limited({"pricePerMonth": 175})
		with data.landfall.images as fixture.images
}

test_a_place_without_a_price_is_told if {
	[entry.message | some entry in main.result.denials] == ["elemento/ovh-fr-paris has no published price, so it cannot be compared with the 75 of 175 USD per month left"] with input as fixture.asking({}, {"region": "ovh-fr-paris"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _limited({"pricePerMonth": 175})
		with data.landfall.images as fixture.images
}

test_unchecked_quotas_give_a_warning if {
	asked := object.union(fixture.asking({}, {}), {"facts": null})
	[entry.code | some entry in warning.all] == ["POL_QUOTA_UNCHECKED"] with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _limited({"vcpus": 1, "pricePerMonth": 1})
		with data.landfall.images as fixture.images
	main.result.denials == [] with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _limited({"vcpus": 1, "pricePerMonth": 1})
		with data.landfall.images as fixture.images
}

test_an_exemption_waives_it if {
	entry := {
		"id": "1", "owner": "o", "reason": "r", "expires": "2027-01-01", "codes": ["POL_QUOTA"],
		"namespaces": ["*"], "names": ["*"],
	}
	quota.denials == set() with input as fixture.asking({}, {})
		with data.landfall.settings as object.union(_limited({"objects": 1}), {"exemptions": [entry]})
}

test_a_cluster_counts_with_its_largest_size if {
	[fixture.places[id].key | some id in quota.remaining] == ["gcp/europe-west6"] with input as object.union(
		fixture.cluster([fixture.node_pool({"nodes": 1, "most": 4, "memoryGiB": 8})], {}, {}, {}),
		{"facts": {"usage": {"pricePerMonth": 0}}},
	)
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _limited({"pricePerMonth": 500})
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_named_type_counts_with_its_own_size if {
	[entry] := [entry | some entry in quota.denials] with input as fixture.asking({}, {"instanceType": "m.large"})
		with data.landfall.settings as _limited({"vcpus": 12, "memoryGiB": 44})
		with data.landfall.catalog as fixture.catalog
	[entry.field, entry.actual, entry.allowed] == ["spec.memory", 8, 4]
}

test_a_chosen_type_counts_with_its_own_size if {
	[entry] := [entry | some entry in quota.denials] with input as fixture.asking({"cpu": 1, "total": {"vcpus": 1, "memoryGiB": 4}}, {})
		with data.landfall.settings as _limited({"vcpus": 11})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.images as fixture.images
	[entry.actual, entry.message] == [2, "namespace team uses 10 of 11 vCPU: 2 more, which the smallest type for 1 vCPU and 4 GiB has, do not fit"]
}

test_a_place_whose_type_does_not_fit_is_removed if {
	asked := fixture.asking({}, {})
	fixture.keys(quota.remaining) == ["aws/eu-west-1", "azure/eastus", "azure/italynorth", "elemento/ovh-fr-paris"] with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _limited({"memoryGiB": 47})
		with data.landfall.images as fixture.images
	[step.text | some step in main.result.funnel; step.rule == "quota"] == ["7 of 47 GiB left: 4 remain"] with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _limited({"memoryGiB": 47})
		with data.landfall.images as fixture.images
	[step.text | some step in main.result.funnel; step.rule == "quota"] == ["200 of 300 USD per month left, 7 of 47 GiB left: 3 remain"] with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _limited({"memoryGiB": 47, "pricePerMonth": 300})
		with data.landfall.images as fixture.images
}

test_what_runs_is_not_denied[running] if {
	some running, count_of in {[2, 4]: 0, [1, 4]: 1, [2, 3]: 1}
	asked := fixture.asking({"running": {"vcpus": running[0], "memoryGiB": running[1]}}, {})
	count(quota.denials) == count_of with input as asked
		with data.landfall.settings as _limited({"objects": 1, "vcpus": 3, "memoryGiB": 3})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.images as fixture.images
}

_eastus := {"provider": "azure", "region": "eastus"}

_cluster_with(pool, pins) := fixture.cluster([fixture.node_pool(pool)], {}, pins, {})

test_pools_count_with_their_types[name] if {
	some name, [pool, pins, actual] in {
		"GPUs": [{"gpu": 1, "most": 4}, _eastus, 16],
		"named": [{"instanceType": "G1", "most": 4}, _eastus, 16],
		"neither": [{"most": 7}, {}, 14],
		"a larger type": [{"most": 7, "cpu": 1}, {}, 14],
	}
	[[entry.field, entry.actual] | some entry in quota.denials] == [["spec.nodePools", actual]] with input as _cluster_with(pool, pins)
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _limited({"vcpus": 20})
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_cluster_is_told_what_its_pools_need if {
	_messages == ["namespace team uses 10 of 20 vCPU: the node pools at their largest need 14 more"] with input as _cluster_with({"most": 7}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _limited({"vcpus": 20})
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_cluster_that_fits_nowhere_counts_as_it_asks if {
	[entry.actual | some entry in quota.denials] == [2] with input as _cluster_with({"gpu": 9}, _eastus)
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as _limited({"vcpus": 11})
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_usage_that_is_not_a_number_is_denied if {
	asked := object.union(fixture.asking({}, {}), {"facts": {"usage": {"objects": 1, "vcpus": null, "pricePerMonth": "many"}}})
	_messages == [
		"the USD per month that namespace team uses are not a number",
		"the vCPU that namespace team uses are not a number",
	] with input as asked
		with data.landfall.settings as _limited({"objects": 9, "vcpus": 9, "pricePerMonth": 9})
	{entry.field | some entry in quota.denials} == {"spec.cpu", "metadata.namespace"} with input as asked
		with data.landfall.settings as _limited({"vcpus": 9, "pricePerMonth": 9})
}

test_a_creation_is_denied_while_usage_is_old if {
	seen := {"asOf": 1000, "usage": {"objects": 0, "vcpus": 0}}
	late := object.union(fixture.asking({}, {}), {"operation": "CREATE", "now": 1061, "facts": seen})
	[entry] := [entry | some entry in quota.denials] with input as late
		with data.landfall.settings as _limited({"vcpus": 9})
	entry.code == "POL_QUOTA_STALE"
	entry.message == "the objects of namespace team were last seen 61 s ago, so its quotas cannot be checked"
	quota.denials == set() with input as late
		with data.landfall.settings as fixture.settings
	quota.denials == set() with input as object.union(late, {"now": 1060})
		with data.landfall.settings as _limited({"vcpus": 9})
}

test_a_change_is_denied_while_usage_is_old_if_it_adds_to_what_runs if {
	seen := {"asOf": 1000, "usage": {"objects": 0, "vcpus": 0}}
	late := object.union(fixture.asking({}, {}), {"operation": "UPDATE", "now": 1061, "facts": seen})
	_stale(late)
	_stale(object.union(late, {"request": {"running": {"vcpus": 1, "memoryGiB": 1024}}}))
	_stale(object.union(late, {"request": {"running": {"vcpus": 1024, "memoryGiB": 1}}}))
	same := object.union(late, {"request": {"running": {"vcpus": 1024, "memoryGiB": 1024}}})
	quota.denials == set() with input as same
		with data.landfall.settings as _limited({"vcpus": 9})
}

_stale(asked) if {
	["POL_QUOTA_STALE"] == [entry.code | some entry in quota.denials] with input as asked
		with data.landfall.settings as _limited({"vcpus": 9})
}
