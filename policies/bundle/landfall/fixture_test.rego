# A small catalog, small settings and a simple request: the defaults of all tests.
package landfall.fixture

_place(key, country, zone, column) := {
	"key": key,
	"provider": split(key, "/")[0],
	"region": split(key, "/")[1],
	"country": country,
	"electricityZone": country,
	"zone": zone,
	"column": column,
}

places := [
	_place("aws/eu-west-1", "IE", "eu-west-1a", 0),
	_place("azure/eastus", "US", null, 0),
	_place("azure/italynorth", "IT", null, 1),
	_place("elemento/ovh-fr-paris", "FR", null, 0),
	_place("gcp/europe-west6", "CH", "europe-west6-b", 0),
]

# In every place: 2 vCPU and 4 GiB, 2 vCPU and 8 GiB; azure/eastus has a burstable and an arm64 type as well.
catalog := {
	"places": places,
	"allPlaces": [id | some id, _ in places],
	"placeIds": {place.key: id | some id, place in places},
	"residency": {
		"areas": {"EU": {"IE": true, "IT": true, "FR": true}, "GDPR": {"IE": true, "IT": true, "FR": true, "CH": true}},
		"places": {"EU": [0, 2, 3], "GDPR": [0, 2, 3, 4]},
		"countries": {"IE": true, "IT": true, "FR": true, "CH": true, "US": true, "KE": true},
	},
	"latency": {
		"sources": [null, "local", "measured", "reversed", "measured-p95", "estimated"],
		"from": {
			"azure/italynorth": {"ms": [30.5, 100, 1, 20, null], "source": [2, 2, 1, 5, 0]},
			"aws/eu-west-1": {"ms": [1, 80, 30, 25, 40], "source": [1, 2, 3, 5, 5]},
		},
		"none": {"ms": [null, null, null, null, null], "source": [0, 0, 0, 0, 0]},
	},
	"types": [
		["m.small", 2, 4, [0.1], "amd64", "standard", "general"],
		["m.large", 2, 8, [null], "amd64", "standard", "memory"],
		["D2", 2, 4, [0.1, 0.12], "amd64", "standard", "general"],
		["D2m", 2, 8, [0.2, -1], "amd64", "standard", "memory"],
		["B2", 2, 4, [0.05, -1], "amd64", "burstable", "burstable"],
		["D2p", 2, 4, [0.09, -1], "arm64", "standard", "general"],
		["neon", 2, 4, [null], "amd64", "standard", "elemento"],
		["n-2", 2, 8, [0.15], "amd64", "standard", "general"],
		["g.dear", 4, 16, [0.9], "amd64", "standard", "gpu", 1],
		["g.free", 4, 16, [null], "amd64", "standard", "gpu", 2],
		["G1", 4, 16, [0.8, -1], "amd64", "standard", "gpu", 1],
	],
	"typeIds": {
		"aws": {"m.small": 0, "m.large": 1},
		"azure": {"D2": 2, "D2m": 3, "B2": 4, "D2p": 5},
		"gcp": {"n-2": 7},
		"elemento": {"neon": 6},
	},
	"choices": [[0, 1], [2, 3], [2], [6], [7], [4, 3], [5], [1], [3], [0], [4]],
	"cellRows": [[0, 1, 2, 3, 4], [0, 5, 2, 3, 4], [-1, 6, -1, -1, -1], [7, 8, -1, -1, 4], [9, 2, 2, -1, 4], [7, 8, -1, -1, -1], [-1, 10, -1, -1, -1]],
	"cells": {
		"amd64": [[0, 0, 0, 3], [0, 0, 0, 3]],
		"amd64+burstable": [[1, 1, 1, 3], [1, 1, 1, 3]],
		"arm64": [[2, 2, 2], [2, 2, 2]],
		"amd64/general": [[4, 4, 4, 4], [4, 4, 4, 4]],
		"amd64/memory": [[5, 5, 5, 5], [5, 5, 5, 5]],
		"amd64/burstable": [[6, 6, 6, 6], [6, 6, 6, 6]],
	},
	"powersOfTwo": [1, 2, 4, 8, 16],
	"gpuIds": {"aws": {"g.dear": 8, "g.free": 9}, "azure": {"G1": 10}},
	"kubernetes": {
		"aws": [{"version": "1.35", "end": 2000, "day": "day 2000"}, {"version": "1.34", "end": 900, "day": "day 900"}],
		"azure": [{"version": "1.36", "end": 900, "day": "day 900"}, {"version": "1.35", "end": 1900, "day": "day 1900"}],
		"gcp": [{"version": "1.35", "end": 9000000, "day": "day 9000000"}],
		"elemento": [{"version": "1.34", "end": null, "day": null}],
	},
}

settings := {
	"origin": "azure/italynorth",
	"providers": ["azure", "aws", "gcp", "elemento"],
	"places": {"allowed": [], "denied": []},
	"residency": [],
	"families": ["general", "memory", "burstable"],
	"latency": {"max": null, "estimates": true},
	"os": "ubuntu-24.04",
	"osDisk": {"sizeGiB": null, "type": null},
	"objective": {
		"default": "carbon",
		"weights": {"carbon": {"carbon": 1, "price": 0, "latency": 0}, "cost": {"carbon": 0, "price": 1, "latency": 0}},
	},
	"horizonHours": 24,
	"schedule": {"tolerance": 0.01, "minimumGain": 0.05, "budgets": {}},
	"write": ["provider"],
	"quotas": {"default": {"objects": null, "vcpus": null, "memoryGiB": null, "pricePerMonth": null}, "namespaces": {}},
	"naming": {"name": null, "vmName": null, "uniqueVmName": "namespace"},
	"exemptable": ["POL_LATENCY", "POL_NAMING", "POL_PROVIDER", "POL_QUOTA", "POL_REGION", "POL_RESIDENCY", "POL_VM_NAME_TAKEN"],
	"exemptions": [],
}

images := {
	"by_provider": {
		"azure": {"ubuntu-24.04": {"amd64": "C:u:s:l", "arm64": "C:u:a:l"}, "debian-12": {"amd64": "D:d:12:l"}},
		"aws": {"ubuntu-24.04": {"amd64": "resolve:ssm:/u"}, "debian-12": {"amd64": "resolve:ssm:/d"}},
		"gcp": {"ubuntu-24.04": {"amd64": "p/u"}, "debian-12": {"amd64": "p/d"}},
		"elemento": {"ubuntu-24.04": {"amd64": "ubuntu-24-04"}},
	},
	"notations": {"azure": "^([^:/]+:){3}[^:/]+$", "aws": "^ami-", "gcp": "^[a-z-]+/[a-z0-9-]+$", "elemento": "^[a-z0-9-]+$"},
}

_request := {
	"kind": "VmTemplate",
	"name": "web",
	"cpu": 2,
	"memoryGiB": 4,
	"total": {"vcpus": 2, "memoryGiB": 4},
	"arch": "amd64",
	"burstable": false,
	"maxLatencyMs": null,
	"origin": null,
	"dataResidency": [],
	"optimizeFor": null,
	"os": null,
	"existingNetwork": false,
}

_pin := {"provider": null, "region": null, "instanceType": null, "zone": null, "image": null, "start": null}

# A request for 2 vCPU and 4 GiB with these differences, and with these pins.
asking(changes, pins) := {
	"request": object.union(object.union(_request, {"pin": object.union(_pin, pins)}), changes),
	"namespace": {"name": "team", "labels": {}, "annotations": {}},
	"clock": {"time": "2026-01-15T12:00:00Z"},
	"facts": {"usage": {"objects": 3, "vcpus": 10, "memoryGiB": 40, "pricePerMonth": 100}, "sameVmName": []},
}

# The same request from a namespace with these annotations and labels.
from_namespace(changes, annotations, labels) := object.union(
	asking(changes, {}),
	{"namespace": {"annotations": annotations, "labels": labels}},
)

# Settings with these differences.
with_settings(changes) := object.union(settings, changes)

# The names of places by their ids.
keys(ids) := [places[id].key | some id in ids]

clusters := {
	"kubernetes": {"warnDays": 1, "denyEnded": true},
	"limits": {
		"azure": {"pools": 3, "nodes": 10, "least": 0, "first": 1},
		"aws": {"pools": 2, "nodes": 10, "least": 0, "first": 0},
		"gcp": {"nodes": 20, "least": 0, "first": 0},
		"elemento": {"nodes": 5, "least": 1, "first": 1},
	},
	"floors": {
		"azure": {"cpu": 2, "memoryGiB": 4},
		"aws": {"cpu": 1, "memoryGiB": 2},
		"gcp": {"cpu": 1, "memoryGiB": 1},
		"elemento": {"cpu": 1, "memoryGiB": 1},
	},
	"zones": {
		"aws": {"least": 2, "highlyAvailable": 3, "suffixes": ["a", "b", "c"], "regions": {"us-west-1": ["a", "c"]}},
		"azure": ["italynorth"],
	},
	"unsupported": {
		"aws": {"podCidr": "no pods' network"},
		"elemento": {"podCidr": "no pods' network", "privateEndpoint": "no such endpoint", "labels": "no labels", "zones": "no zones"},
	},
}

_node_pool := {"name": "a", "cpu": 2, "memoryGiB": 4, "gpu": 0, "least": 2, "most": 2, "nodes": 2, "instanceType": null}

# A pool of two nodes of 2 vCPU and 4 GiB with these differences.
node_pool(changes) := object.union(_node_pool, changes)

# A cluster of these pools, with these differences of the cluster, pins and specification.
cluster(pools, changes, pins, spec) := object.union(
	asking(
		{
			"kind": "KaasCluster",
			"cluster": object.union({"pools": pools, "kubernetesVersion": null, "highAvailability": false, "zones": null}, changes),
		},
		pins,
	),
	{"spec": spec, "now": 1000, "operation": "CREATE"},
)
