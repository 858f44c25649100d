package landfall.pool_test

import data.landfall.fixture
import data.landfall.main
import data.landfall.pool

test_every_pool_gets_the_cheapest_type_of_its_size if {
	{fixture.places[offer[0]].key: [fixture.catalog.types[id][0] | some id in pool.choice(offer[0])[2]] | some offer in pool.offers} == {"aws/eu-west-1": ["m.small", "m.large"], "azure/eastus": ["D2", "D2m"], "gcp/europe-west6": ["n-2", "n-2"]} with input as fixture.cluster([fixture.node_pool({}), fixture.node_pool({"name": "b", "memoryGiB": 8, "nodes": 3})], {}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_price_and_size_are_those_of_all_nodes if {
	[[detail.vcpus, detail.memoryGiB, detail.pricePerHour] | some offer in pool.offers; detail := pool.detail(offer[0])] == [[10, 32, null], [10, 32, 0.8], [10, 40, 0.75]] with input as fixture.cluster([fixture.node_pool({}), fixture.node_pool({"name": "b", "memoryGiB": 8, "nodes": 3})], {}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_both_answers_agree if {
	[[candidate.pricePerHour, candidate.cluster.pools[1].instanceType] | some candidate in main.candidates] == [[null, "m.large"], [0.8, "D2m"], [0.75, "n-2"]] with input as fixture.cluster([fixture.node_pool({}), fixture.node_pool({"name": "b", "memoryGiB": 8, "nodes": 3})], {}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_the_compact_answer_has_pools_and_choices if {
	[main.compact.pools, count(main.compact.clusters), [candidate.zone | some candidate in main.candidates]] == [[["a", 2]], 5, [null, null, null, null, null]] with input as fixture.cluster([fixture.node_pool({})], {}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_provider_can_require_larger_nodes if {
	main.compact.clusters == [["1.35", [], [2]]] with input as fixture.cluster([fixture.node_pool({"cpu": 1, "memoryGiB": 1})], {}, {"provider": "azure", "region": "italynorth"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_pool_that_fits_nowhere_is_named if {
	[denial.message | some denial in main.denials] == ["no region can run this cluster: no machine for pool b (2 vCPU, 16 GiB)"] with input as fixture.cluster([fixture.node_pool({}), fixture.node_pool({"name": "b", "memoryGiB": 16})], {}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_pool_that_does_not_fit_in_the_only_place if {
	[[denial.code, denial.message] | some denial in main.denials] == [["POL_FLAVOUR", "azure/italynorth offers no type for pool b (2 vCPU, 8 GiB)"]] with input as fixture.cluster([fixture.node_pool({}), fixture.node_pool({"name": "b", "memoryGiB": 8, "nodes": 3})], {}, {"provider": "azure", "region": "italynorth"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_pools_that_fit_but_not_together if {
	[[denial.code, denial.message] | some denial in main.denials] == [["PLACEMENT_NONE", "no region can run this cluster: no machine for every pool of a, b"]] with input as fixture.cluster([fixture.node_pool({"instanceType": "G1"}), fixture.node_pool({"name": "b", "gpu": 2})], {}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_gpus_of_the_cheapest_type_with_a_price if {
	{fixture.places[offer[0]].key: [fixture.catalog.types[id][0] | some id in pool.choice(offer[0])[2]] | some offer in pool.offers} == {"aws/eu-west-1": ["g.dear"], "azure/eastus": ["G1"]} with input as fixture.cluster([fixture.node_pool({"gpu": 1})], {}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_gpus_without_a_published_price if {
	{fixture.places[offer[0]].key: [fixture.catalog.types[id][0] | some id in pool.choice(offer[0])[2]] | some offer in pool.offers} == {"aws/eu-west-1": ["g.free"]} with input as fixture.cluster([fixture.node_pool({"gpu": 2})], {}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_gpus_that_no_provider_offers if {
	[[denial.code, denial.field] | some denial in main.denials] == [["POL_GPU", "spec.nodePools[0].gpu"]] with input as fixture.cluster([fixture.node_pool({"gpu": 3})], {}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_gpus_that_are_offered_with_less_memory if {
	[denial.message | some denial in main.denials] == ["no region can run this cluster: no machine for pool a (2 vCPU, 100 GiB, 1 GPU)"] with input as fixture.cluster([fixture.node_pool({"gpu": 1, "memoryGiB": 100})], {}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_named_type if {
	{fixture.places[offer[0]].key: [fixture.catalog.types[id][0] | some id in pool.choice(offer[0])[2]] | some offer in pool.offers} == {"azure/eastus": ["D2m"]} with input as fixture.cluster([fixture.node_pool({"instanceType": "D2m"})], {}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_type_that_is_not_offered if {
	[[denial.code, denial.field] | some denial in main.denials] == [["POL_INSTANCE_TYPE", "spec.poolInstanceTypes.a"]] with input as fixture.cluster([fixture.node_pool({"instanceType": "huge"})], {}, {"provider": "azure", "region": "eastus"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_machine_has_no_pools if {
	[pool.nodes, pool.why, main.compact.clusters] == [[], "", []] with input as object.union(fixture.asking({}, {}), {"now": 1000})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

_narrowed(pools, families) := object.union(
	fixture.cluster(pools, {}, {}, {}),
	{"namespace": {"annotations": {"landfall.dev/families": families}}},
)

test_a_namespace_narrows_the_families_of_pools_down if {
	{fixture.places[offer[0]].key: [fixture.catalog.types[id][0] | some id in pool.choice(offer[0])[2]] | some offer in pool.offers}["aws/eu-west-1"] == ["m.large"] with input as _narrowed([fixture.node_pool({})], "memory")
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_named_type_of_another_family_is_refused if {
	pool.offers == [] with input as _narrowed([fixture.node_pool({"instanceType": "D2"})], "memory")
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_named_type_with_gpus_has_no_family if {
	[fixture.places[offer[0]].key | some offer in pool.offers] == ["azure/eastus"] with input as _narrowed([fixture.node_pool({"instanceType": "G1", "gpu": 1})], "memory")
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_named_type_that_is_offered_elsewhere if {
	[fixture.places[offer[0]].key | some offer in pool.offers] == ["azure/eastus", "azure/italynorth"] with input as fixture.cluster([fixture.node_pool({"instanceType": "D2"})], {}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_named_type_of_an_allowed_family if {
	[fixture.places[offer[0]].key | some offer in pool.offers] == ["azure/eastus"] with input as _narrowed([fixture.node_pool({"instanceType": "D2m"})], "memory")
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

_said_of(pool_changes, pins) := said if {
	said := [d.message | some d in pool.denials] with input as fixture.cluster([fixture.node_pool(pool_changes)], {}, pins, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

_said_of_type(type, pins) := _said_of({"instanceType": type}, pins)

_type := "spec.poolInstanceTypes.a"

test_the_reason_against_the_type_of_a_pool if {
	_said_of_type("huge", {}) == [sprintf("%s huge is not a type of the catalog", [_type])]
	_said_of_type("m.small", {"provider": "azure"}) == [sprintf("%s m.small is a type of aws, of which no place remains", [_type])]
	_said_of_type("D2p", {}) == [sprintf("%s D2p has the architecture arm64, and nodes are amd64", [_type])]
	_said_of_type("D2m", {"provider": "azure", "region": "italynorth"}) == [sprintf("%s D2m is not offered in the remaining regions", [_type])]
	_said_of({"instanceType": "D2", "memoryGiB": 8}, {}) == [sprintf("%s D2 has 2 vCPU, 4 GiB: not adequate for pool a (2 vCPU, 8 GiB)", [_type])]
}

_named_on_azure(floor) := said if {
	said := [d.message | some d in pool.denials] with input as fixture.cluster([fixture.node_pool({"instanceType": "D2"})], {}, {"provider": "azure"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as object.union(fixture.clusters, {"floors": {"azure": floor}})
}

test_a_named_type_that_the_provider_takes_no_nodes_of if {
	_named_on_azure({"cpu": 4, "memoryGiB": 4}) == []
	_named_on_azure({"cpu": 2, "memoryGiB": 4, "enforced": true}) == []
	every floor in [{"cpu": 4, "memoryGiB": 4, "enforced": true}, {"cpu": 2, "memoryGiB": 8, "enforced": true}] {
		_named_on_azure(floor) == [sprintf("%s D2 has 2 vCPU, 4 GiB: azure takes nodes of %d vCPU and %d GiB or more", [_type, floor.cpu, floor.memoryGiB])]
	}
}

test_a_type_of_a_family_that_the_namespace_excludes if {
	["spec.poolInstanceTypes.a D2m is of the family memory, which the namespace's landfall.dev/families does not allow"] == [d.message | some d in pool.denials] with input as _narrowed([fixture.node_pool({"instanceType": "D2m"})], "general")
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

# n-2 is sold in these zones of europe-west6 alone, and m-2 in all of them.
_in_zones_of(letters) := object.union(fixture.catalog, {
	"places": [object.union(place, {"zones": [sprintf("%s-%s", [place.region, letter]) | some letter in ["a", "b", "c"]]}) | some place in fixture.places],
	"typeZonesOf": {"gcp": {"n-2": 0}},
	"typeZones": [[null, null, null, null, [sprintf("europe-west6-%s", [letter]) | some letter in letters]]],
})

_zones_of(letters, changes, operation) := found if {
	found := [candidate.cluster.zones | some candidate in main.result.candidates] with input as object.union(fixture.cluster([fixture.node_pool({})], changes, {"provider": "gcp", "region": "europe-west6"}, {}), {"operation": operation})
		with data.landfall.catalog as _in_zones_of(letters)
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_cluster_of_one_zone_is_made_where_all_types_are if {
	_zones_of(["a", "b"], {}, "CREATE") == [["europe-west6-b"]]
	_zones_of(["a", "c"], {}, "CREATE") == [["europe-west6-a"]]
	_zones_of([], {}, "CREATE") == []
}

test_a_named_zone_has_the_types_of_all_pools if {
	_zones_of(["a", "c"], {"zones": ["europe-west6-c"]}, "CREATE") == [["europe-west6-c"]]
	_zones_of(["a", "c"], {"zones": ["europe-west6-b"]}, "CREATE") == []
	_zones_of(["a", "c"], {"zones": ["europe-west6-b"]}, "UPDATE") == []
}

# The pool a is there with n-2, of which zone b has no more; b is to come.
test_a_pool_that_is_there_is_not_questioned_and_a_new_one_is if {
	there := fixture.node_pool({"instanceType": "n-2", "installedType": "n-2"})
	zones := {"zones": ["europe-west6-b"]}
	_zones_with([there], zones, _in_zones_of(["a"])) == [["europe-west6-b"]]
	_zones_with([there, fixture.node_pool({"name": "b"})], zones, _in_zones_of(["a"])) == []
	_zones_with([there, fixture.node_pool({"name": "b", "instanceType": "n-2"})], zones, _in_zones_of(["a"])) == []
	_zones_with([there, fixture.node_pool({"name": "b"})], zones, _in_zones_of(["a", "b"])) == [["europe-west6-b"]]
}

test_a_pool_keeps_a_type_that_is_not_offered_any_more if {
	there := fixture.node_pool({"instanceType": "n-2", "installedType": "n-2"})
	gone := object.union(_in_zones_of(["a"]), {"types": [_unoffered(index, row) | some index, row in fixture.catalog.types]})
	_zones_with([there], {"zones": ["europe-west6-b"]}, gone) == [["europe-west6-b"]]
	_zones_with([there, fixture.node_pool({"name": "b", "instanceType": "n-2"})], {"zones": ["europe-west6-b"]}, gone) == []
	_zones_with([fixture.node_pool({"instanceType": "n-2"})], {"zones": ["europe-west6-a"]}, gone) == []
}

_unoffered(7, row) := [row[0], row[1], row[2], [-1], row[4], row[5], row[6]]

_unoffered(index, row) := row if index != 7

_zones_with(pools, changes, catalog) := found if {
	found := [candidate.cluster.zones | some candidate in main.result.candidates] with input as object.union(fixture.cluster(pools, changes, {"provider": "gcp", "region": "europe-west6"}, {}), {"operation": "UPDATE"})
		with data.landfall.catalog as catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_cluster_of_a_region_needs_one_zone_with_each_type if {
	_zones_of(["a"], {"highAvailability": true}, "CREATE") == [[]]
	_zones_of([], {"highAvailability": true}, "CREATE") == []
}
