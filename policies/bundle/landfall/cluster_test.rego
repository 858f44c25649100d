package landfall.cluster_test

import data.landfall.cluster
import data.landfall.fixture
import data.landfall.main

test_every_provider_allows_a_small_cluster if {
	fixture.keys(cluster.remaining) == [place.key | some place in fixture.places] with input as fixture.cluster([fixture.node_pool({})], {}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_more_pools_than_a_provider_allows if {
	fixture.keys(cluster.remaining) == ["azure/eastus", "azure/italynorth", "elemento/ovh-fr-paris", "gcp/europe-west6"] with input as fixture.cluster([fixture.node_pool({}), fixture.node_pool({"name": "b"}), fixture.node_pool({"name": "c"})], {}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_pinned_provider_with_too_many_pools if {
	[[denial.code, denial.actual, denial.allowed] | some denial in main.denials] == [["POL_POOLS", 3, 2]] with input as fixture.cluster([fixture.node_pool({}), fixture.node_pool({"name": "b"}), fixture.node_pool({"name": "c"})], {}, {"provider": "aws"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_pool_with_too_many_nodes if {
	[[denial.code, denial.field, denial.allowed] | some denial in main.denials] == [["POL_POOL_NODES", "spec.nodePools[0]", 5]] with input as fixture.cluster([fixture.node_pool({"most": 6})], {}, {"provider": "elemento"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_first_pool_that_can_be_empty if {
	[denial.code | some denial in main.denials] == ["POL_POOL_EMPTY"] with input as fixture.cluster([fixture.node_pool({"least": 0})], {}, {"provider": "azure"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_later_pool_that_can_be_empty if {
	"azure/italynorth" in fixture.keys(cluster.remaining) with input as fixture.cluster([fixture.node_pool({}), fixture.node_pool({"name": "b", "least": 0})], {}, {"provider": "azure"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_feature_that_a_provider_lacks if {
	{split(key, "/")[0] | some key in fixture.keys(cluster.remaining)} == {"azure", "gcp"} with input as fixture.cluster([fixture.node_pool({})], {}, {}, {"network": {"podCidr": "10.0.0.0/8"}})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_private_endpoint_is_a_feature if {
	not "elemento/ovh-fr-paris" in fixture.keys(cluster.remaining) with input as fixture.cluster([fixture.node_pool({})], {}, {}, {"endpoint": "private"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_provider_without_managed_clusters if {
	[[denial.code, denial.message] | some denial in main.denials] == [["POL_FEATURE", "gcp cannot run this cluster: it sells none"]] with input as fixture.cluster([fixture.node_pool({})], {}, {"provider": "gcp"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as object.union(fixture.clusters, {"unsupported": {"gcp": {"clusters": "it sells none"}}})
}

test_labels_are_a_feature if {
	[denial.code | some denial in main.denials] == ["POL_FEATURE"] with input as fixture.cluster([fixture.node_pool({})], {}, {"provider": "elemento", "region": "ovh-fr-paris"}, {"nodePools": [{"labels": {"a": "b"}}]})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

_tainted(taint) := fixture.cluster([fixture.node_pool({}), fixture.node_pool({"name": "b"})], {}, {}, {"nodePools": [
	{"name": "a", "taints": [taint]},
	{"name": "b", "taints": [{"key": "dedicated", "effect": "NoSchedule"}]},
]})

_without_azure contains taint if {
	some key in ["dedicated", "CriticalAddonsOnly"]
	some effect in ["NoSchedule", "NoExecute", "PreferNoSchedule"]
	taint := [key, effect]
	places := cluster.remaining with input as _tainted({"key": key, "effect": effect})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as object.union(fixture.clusters, {"unsupported": {"azure": {"firstPoolTaints": "its own services"}}})
	not "azure" in {split(key, "/")[0] | some key in fixture.keys(places)}
}

test_hard_taints_of_the_first_pool_are_a_feature if {
	_without_azure == {["dedicated", "NoSchedule"], ["dedicated", "NoExecute"]}
}

_providers(spec) := {split(key, "/")[0] | some key in places} if {
	features := {"azureTags": "its own tags", "azureLabels": "its own labels"}
	places := fixture.keys(cluster.remaining) with input as fixture.cluster([fixture.node_pool({})], {}, {}, spec)
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as object.union(fixture.clusters, {"unsupported": {"azure": features}})
}

test_what_azure_keeps_for_itself_is_a_feature if {
	"azure" in _providers({"tags": {"team": "azure"}, "nodePools": [{"name": "a", "labels": {"team": "a"}}]})
	not "azure" in _providers({"tags": {"azure-team": "a"}})
	not "azure" in _providers({"nodePools": [{"name": "a", "labels": {"kubernetes.azure.com/mode": "user"}}]})
}

# Keys of labels that ask for a feature, by feature.
_reserved[feature] contains key if {
	some key, value in {
		"eks.amazonaws.com/nodegroup": "a",
		"kubernetes.azure.com/mode": "a",
		"agentpool": "a",
		"cloud.google.com/gke-nodepool": "a",
		"cloud.google.com/gke-smt-disabled": "true",
		"team": "",
		_long_key: "a",
		"eks.amazonaws.com.example.com/team": "a",
		"example.com/team": "a",
	}
	asked := cluster.wanted with input as fixture.cluster([fixture.node_pool({})], {}, {}, {"nodePools": [{"name": "a", "labels": {key: value}}]})
	some feature in asked
	not feature in {"clusters", "labels"}
}

test_labels_that_nodes_cannot_have_are_features if {
	_reserved == {
		"awsLabels": {"eks.amazonaws.com/nodegroup"},
		"azureLabels": {"kubernetes.azure.com/mode", "agentpool"},
		"googleLabels": {"cloud.google.com/gke-nodepool"},
		"emptyLabels": {"team"},
		"longKeys": {_long_key},
	}
}

# 64 characters with the prefix; Kubernetes counts the 52 after it.
_long_key := concat("", ["example.com/", concat("", ["a" | some _ in numbers.range(1, 52)])])

test_keys_of_taints_that_eks_refuses_are_a_feature[key] if {
	some key, expected in {_long_key: {"longKeys"}, substring(_long_key, 1, -1): set()}
	taints := [{"key": key, "effect": "PreferNoSchedule"}]
	asked := cluster.wanted with input as fixture.cluster([fixture.node_pool({})], {}, {}, {"nodePools": [{"name": "a"}, {"name": "b", "taints": taints}]})
	asked & {"longKeys"} == expected
}

test_tags_that_iam_refuses_are_a_feature[value] if {
	some value, expected in {"Team A/b:c=d+e-f@g.h_1 é": set(), "": set(), "a<b": {"tagCharacters"}, "50%": {"tagCharacters"}, "(a)": {"tagCharacters"}}
	asked := cluster.wanted with input as fixture.cluster([fixture.node_pool({})], {}, {}, {"tags": {"team": value}, "nodePools": [{"name": "a"}]})
	asked & {"tagCharacters"} == expected
}

test_taints_that_aks_keeps_for_itself_are_a_feature[key] if {
	some key, expected in {"kubernetes.azure.com/mode": {"azureTaints"}, "kubernetes.azure.com.example.com/mode": set(), "example.com/mode": set()}
	taints := [{"key": key, "effect": "PreferNoSchedule"}]
	asked := cluster.wanted with input as fixture.cluster([fixture.node_pool({})], {}, {}, {"nodePools": [{"name": "a"}, {"name": "b", "taints": taints}]})
	asked & {"azureTaints"} == expected
}

test_tags_that_are_no_labels_are_a_feature if {
	{split(key, "/")[0] | some key in fixture.keys(cluster.remaining)} == {"aws", "azure", "elemento"} with input as fixture.cluster([fixture.node_pool({})], {}, {}, {"tags": {"team": "b-"}})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as object.union(fixture.clusters, {"unsupported": {"gcp": {"tagsWithoutLabels": "its tags are labels"}}})
}

test_a_version_that_some_providers_have if {
	{split(key, "/")[0] | some key in fixture.keys(cluster.remaining)} == {"aws", "azure", "gcp"} with input as fixture.cluster([fixture.node_pool({})], {"kubernetesVersion": "1.35"}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_version_that_no_provider_has if {
	{denial.code | some denial in main.denials} == {"POL_KUBERNETES_VERSION"} with input as fixture.cluster([fixture.node_pool({})], {"kubernetesVersion": "1.20"}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_version_newer_than_the_list_names_its_date if {
	[denial.message | some denial in main.denials] == ["spec.kubernetesVersion 1.99: not in the bundle's list of 2026-04 for aws, azure, elemento, gcp"] with input as fixture.cluster([fixture.node_pool({})], {"kubernetesVersion": "1.99"}, {}, {})
		with data.landfall.catalog as object.union(fixture.catalog, {"dates": {"Kubernetes versions": "2026-04"}})
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_version_without_support_is_denied if {
	[[denial.code, denial.allowed] | some denial in main.denials] == [["POL_KUBERNETES_ENDED", "aws 1.35"]] with input as fixture.cluster([fixture.node_pool({})], {"kubernetesVersion": "1.34"}, {"provider": "aws"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_running_cluster_without_support_is_warned if {
	[[warning.code | some warning in cluster.warnings], count(main.denials)] == [["POL_KUBERNETES_ENDED"], 0] with input as object.union(fixture.cluster([fixture.node_pool({})], {"kubernetesVersion": "1.34"}, {"provider": "aws"}, {}), {"operation": "UPDATE"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_version_whose_support_ends_is_warned if {
	[warning.message | some warning in cluster.warnings] == ["aws supports Kubernetes 1.35 until day 2000"] with input as fixture.cluster([fixture.node_pool({})], {}, {"provider": "aws"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_the_newest_supported_version_is_the_default if {
	[cluster.versions.aws, cluster.versions.azure] == ["1.35", "1.35"] with input as fixture.cluster([fixture.node_pool({})], {}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_zones_of_each_provider if {
	[zones | some id, _ in fixture.places; zones := cluster.zones[id]] == [["eu-west-1a", "eu-west-1b"], [], [], [], ["europe-west6-b"]] with input as fixture.cluster([fixture.node_pool({})], {}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_highly_available_cluster_has_zones if {
	[zones | some id, _ in fixture.places; zones := cluster.zones[id]] == [["eu-west-1a", "eu-west-1b", "eu-west-1c"], ["1", "2", "3"], [], []] with input as fixture.cluster([fixture.node_pool({})], {"highAvailability": true}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_region_without_zones_is_removed if {
	not "azure/eastus" in fixture.keys(cluster.remaining) with input as fixture.cluster([fixture.node_pool({})], {"highAvailability": true}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_pinned_region_without_zones if {
	[denial.code | some denial in main.denials] == ["POL_ZONE"] with input as fixture.cluster([fixture.node_pool({})], {"highAvailability": true}, {"provider": "azure", "region": "eastus"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_zones_set_by_the_user if {
	fixture.keys(cluster.remaining) == ["aws/eu-west-1"] with input as fixture.cluster([fixture.node_pool({})], {"zones": ["eu-west-1b", "eu-west-1c"]}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_too_few_zones if {
	[denial.code | some denial in main.denials] == ["POL_ZONE"] with input as fixture.cluster([fixture.node_pool({})], {"zones": ["eu-west-1b"]}, {"provider": "aws", "region": "eu-west-1"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_highly_available_cluster_has_no_zones_on_google if {
	[denial.code | some denial in main.denials] == ["POL_ZONE"] with input as fixture.cluster([fixture.node_pool({})], {"zones": ["europe-west6-b"], "highAvailability": true}, {"provider": "gcp", "region": "europe-west6"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

_azure(zones, changes, operation) := object.union(
	fixture.cluster([fixture.node_pool({})], object.union({"zones": zones}, changes), {"provider": "azure", "region": "italynorth"}, {}),
	{"operation": operation},
)

test_one_zone_is_not_enough_for_a_highly_available_cluster_on_azure if {
	[[denial.field, denial.message, denial.allowed] | some denial in main.denials] == [[
		"spec.zones", `azure/italynorth cannot have spec.zones [1]; it takes 2 or 3 of the zones "1", "2" and "3"`,
		`2 or 3 of the zones "1", "2" and "3"`,
	]] with input as _azure(["1"], {"highAvailability": true}, "CREATE")
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
	main.denials == [] with input as _azure(["1", "3"], {"highAvailability": true}, "CREATE")
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
	main.denials == [] with input as _azure(["1"], {}, "CREATE")
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_an_installed_cluster_keeps_its_zones if {
	main.denials == [] with input as _azure(["1"], {"highAvailability": true}, "UPDATE")
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
	asked := object.union(fixture.cluster([fixture.node_pool({})], {"zones": ["1"]}, {"provider": "azure", "region": "eastus"}, {}), {"operation": "UPDATE"})
	main.denials == [] with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_region_of_azure_without_zones if {
	asked := fixture.cluster([fixture.node_pool({})], {"zones": ["1"]}, {"provider": "azure", "region": "eastus"}, {})
	[denial.message | some denial in main.denials] == ["azure/eastus cannot have spec.zones [1]; it takes no zones, because the region has none"] with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
	[denial.message | some denial in main.denials] == ["azure/italynorth cannot have spec.zones [a]; it takes 1 to 3 of the zones \"1\", \"2\" and \"3\""] with input as _azure(["a"], {}, "CREATE")
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_zones_that_no_region_has if {
	[[denial.code, denial.field, denial.actual] | some denial in main.denials] == [["POL_ZONE", "spec.zones", "a, b"]] with input as fixture.cluster([fixture.node_pool({})], {"zones": ["a", "b"]}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
	[denial] := main.denials with input as fixture.cluster([fixture.node_pool({})], {"zones": ["a", "b"]}, {"provider": "aws"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
	denial.message == "no region can have spec.zones [a, b]; aws takes 2 to 4 zones, such as eu-west-1a and eu-west-1b"
}

test_too_few_zones_of_a_region_that_is_not_named if {
	[denial.allowed | some denial in main.denials] == ["aws takes 2 to 4 zones, such as eu-west-1a and eu-west-1b"] with input as fixture.cluster([fixture.node_pool({})], {"zones": ["eu-west-1b"]}, {"provider": "aws"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_zones_where_only_regions_without_remain if {
	[denial.allowed | some denial in main.denials] == ["azure takes no zones, because the region has none"] with input as fixture.cluster([fixture.node_pool({})], {"zones": ["1"]}, {"provider": "azure"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"places": {"denied": ["azure/italynorth"]}})
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_zones_of_google if {
	[denial.allowed | some denial in main.denials] == ["one zone, such as europe-west6-b"] with input as fixture.cluster([fixture.node_pool({})], {"zones": ["b"]}, {"provider": "gcp", "region": "europe-west6"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
	[denial.allowed | some denial in main.denials] == ["no zones, because it uses those of the region"] with input as fixture.cluster([fixture.node_pool({})], {"zones": ["europe-west6-b"], "highAvailability": true}, {"provider": "gcp", "region": "europe-west6"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_the_step_names_what_it_removed if {
	[step.text | some step in main.funnel; step.rule == "cluster"] == ["Kubernetes 1.35, limits of the managed services, several availability zones: 2 of 5 regions remain"] with input as fixture.cluster([fixture.node_pool({}), fixture.node_pool({"name": "b"}), fixture.node_pool({"name": "c"})], {"kubernetesVersion": "1.35", "highAvailability": true}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_the_step_names_only_zones if {
	[step.text | some step in main.funnel; step.rule == "cluster"] == ["several availability zones: 4 of 5 regions remain"] with input as fixture.cluster([fixture.node_pool({})], {"highAvailability": true}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_the_step_names_only_the_version if {
	[step.text | some step in main.funnel; step.rule == "cluster"] == ["Kubernetes 1.35: 4 of 5 regions remain"] with input as fixture.cluster([fixture.node_pool({})], {"kubernetesVersion": "1.35"}, {}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as fixture.clusters
}

test_a_release_channel_is_one_of_google if {
	unsupported := object.union(fixture.clusters, {"unsupported": {name: {"releaseChannel": "no channels"} | some name in ["aws", "azure", "elemento"]}})
	channel := {"releaseChannel": "stable"}
	fixture.keys(cluster.remaining) == ["gcp/europe-west6"] with input as fixture.cluster([fixture.node_pool({})], {}, {}, channel)
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as unsupported
	["aws cannot run this cluster with spec.releaseChannel stable: no channels"] == [d.message | some d in main.denials] with input as fixture.cluster([fixture.node_pool({})], {}, {"provider": "aws"}, channel)
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.clusters as unsupported
}
