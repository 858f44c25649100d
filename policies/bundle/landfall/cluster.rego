# METADATA
# title: Rules for clusters only
# description: |
#   Which providers and places can run such a cluster, and with which Kubernetes version and zones. All of it is empty for
#   a machine. data.landfall.clusters has the limits, and whether ended versions are denied.
package landfall.cluster

import data.landfall.additions
import data.landfall.catalog
import data.landfall.clusters
import data.landfall.region
import data.landfall.tags

# METADATA
# description: provider -> why it cannot run this cluster, the first reason by code
lacking[name] := found[0][2] if {
	some name in {reason.provider | some reason in _reasons}
	found := sort([[reason.denial.code, reason.denial.message, reason.denial] | some reason in _reasons; reason.provider == name])
}

_reason(name, code, message, where) := {
	"provider": name,
	"denial": object.union({"code": code, "message": message}, where),
}

_reasons contains _reason(name, "POL_POOLS", message, where) if {
	pools := input.request.cluster.pools
	some name, limits in clusters.limits
	count(pools) > limits.pools
	message := sprintf("%s allows %d pools, but the cluster has %d", [name, limits.pools, count(pools)])
	where := {"field": "spec.nodePools", "actual": count(pools), "allowed": limits.pools}
}

_reasons contains _reason(name, "POL_POOL_NODES", message, where) if {
	some index, pool in input.request.cluster.pools
	some name, limits in clusters.limits
	pool.most > limits.nodes
	message := sprintf("%s allows %d nodes in a pool, but pool %s can have %d", [name, limits.nodes, pool.name, pool.most])
	where := {"field": sprintf("spec.nodePools[%d]", [index]), "actual": pool.most, "allowed": limits.nodes}
}

_reasons contains _reason(name, "POL_POOL_EMPTY", message, where) if {
	some index, pool in input.request.cluster.pools
	some name, limits in clusters.limits
	least := _least(index, limits)
	pool.least < least
	message := sprintf("%s needs %d node in pool %s, but the pool can shrink to %d", [name, least, pool.name, pool.least])
	where := {"field": sprintf("spec.nodePools[%d]", [index]), "actual": pool.least, "allowed": least}
}

_least(0, limits) := limits.first

_least(index, limits) := limits.least if index > 0

# METADATA
# description: The features that the cluster requests, by the names of data.landfall.clusters.unsupported.
wanted contains name if {
	input.request.cluster
	some name in ["podCidr", "serviceCidr"]
	input.spec.network[name]
}

# Providers with machines but without managed clusters.
wanted contains "clusters" if input.request.cluster

wanted contains "tagsWithoutLabels" if tags.no_labels

wanted contains "azureTags" if tags.begin_like_azure

wanted contains "azureLabels" if {
	some key in _label_keys
	startswith(key, "kubernetes.azure.com/")
}

# AKS gives each node the name of its pool.
wanted contains "azureLabels" if "agentpool" in _label_keys

wanted contains "azureTaints" if {
	some pool in input.spec.nodePools
	some taint in pool.taints
	startswith(taint.key, "kubernetes.azure.com/")
}

wanted contains "googleLabels" if {
	count(_label_keys) > 0
	count(_label_keys & _of_gke) > 0
}

# GKE gives these labels to nodes. Others that begin so are a user's to give, such as cloud.google.com/gke-smt-disabled.
_of_gke := {concat("/", ["cloud.google.com", name]) |
	some name in [
		"gke-boot-disk",
		"gke-container-runtime",
		"gke-cpu-scaling-level",
		"gke-logging-variant",
		"gke-max-pods-per-node",
		"gke-memory-gb-scaling-level",
		"gke-nodepool",
		"gke-os-distribution",
		"gke-provisioning",
		"gke-stack-type",
		"machine-family",
		"private-node",
	]
}

wanted contains "awsLabels" if {
	some key in _label_keys
	startswith(key, "eks.amazonaws.com/")
}

wanted contains "emptyLabels" if {
	some pool in input.spec.nodePools
	"" in pool.labels
}

# EKS counts the prefix of a key.
wanted contains "longKeys" if {
	some key in (_label_keys | _taint_keys)
	count(key) > 63
}

# IAM, whose roles have the cluster's tags, takes no others.
wanted contains "tagCharacters" if {
	some _, value in input.spec.tags
	not regex.match(`^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$`, value)
}

_taint_keys contains taint.key if {
	some pool in input.spec.nodePools
	some taint in pool.taints
}

_label_keys contains key if {
	some pool in input.spec.nodePools
	some key, _ in pool.labels
}

wanted contains "privateEndpoint" if input.spec.endpoint == "private"

wanted contains "releaseChannel" if input.spec.releaseChannel

wanted contains "zones" if count(input.request.cluster.zones) > 0

wanted contains name if {
	some pool in input.spec.nodePools
	some name in ["labels", "taints"]
	count(pool[name]) > 0
}

# Taints of the first pool that keep the services of the cluster itself away.
wanted contains "firstPoolTaints" if {
	some taint in input.spec.nodePools[0].taints
	taint.key != "CriticalAddonsOnly"
	taint.effect != "PreferNoSchedule"
}

# The field and the value that ask for a feature, as a part of a sentence; empty where the reason names them.
_with(asked) := sprintf(" with spec.network.%s %s", [asked, input.spec.network[asked]]) if {
	asked in {"podCidr", "serviceCidr"}
} else := " with spec.endpoint private" if {
	asked == "privateEndpoint"
} else := sprintf(" with spec.releaseChannel %s", [input.spec.releaseChannel]) if {
	asked == "releaseChannel"
} else := sprintf(" with spec.zones [%s]", [_wanted_zones]) if {
	asked == "zones"
} else := sprintf(" with %s of a pool in spec.nodePools", [asked]) if {
	asked in {"labels", "taints"}
} else := ""

_reasons contains _reason(name, "POL_FEATURE", message, where) if {
	some name, unsupported in clusters.unsupported
	faults := [sprintf("%s: %s", [_with(asked), unsupported[asked]]) | some asked in wanted; unsupported[asked]]
	count(faults) > 0
	message := sprintf("%s cannot run this cluster%s", [name, concat("; nor", faults)])
	where := {"field": "spec.provider", "actual": name, "allowed": null}
}

_minor(version) := to_number(split(version, ".")[1])

# The denial of a version for these providers. One that is newer than the whole list of the bundle may be offered by now.
_absent(version, names) := sprintf("spec.kubernetesVersion %s: not in the bundle's list of %s for %s", [version, date, concat(", ", names)]) if {
	date := catalog.dates["Kubernetes versions"]
	every name in names {
		_minor(version) > _minor(catalog.kubernetes[name][0].version)
	}
} else := sprintf("spec.kubernetesVersion %s: not offered by %s", [version, concat(", ", names)])

_reasons contains _reason(name, "POL_KUBERNETES_VERSION", message, where) if {
	version := input.request.cluster.kubernetesVersion
	version != null
	some name, versions in catalog.kubernetes
	not _known[name]
	message := _absent(version, [name])
	where := {"field": "spec.kubernetesVersion", "actual": version, "allowed": _supported(name, versions)}
}

_reasons contains _reason(name, "POL_KUBERNETES_ENDED", message, where) if {
	version := input.request.cluster.kubernetesVersion
	clusters.kubernetes.denyEnded
	input.operation == "CREATE"
	some name, entry in _known
	_ended(entry)
	message := sprintf("%s supported Kubernetes %s until %s", [name, version, entry.day])
	where := {"field": "spec.kubernetesVersion", "actual": version, "allowed": _supported(name, catalog.kubernetes[name])}
}

_supported(name, versions) := concat(" ", [name, concat(", ", [entry.version | some entry in versions; not _ended(entry)])])

# The catalog's entry of the requested version, by provider.
_known[name] := entry if {
	some name, versions in catalog.kubernetes
	some entry in versions
	entry.version == input.request.cluster.kubernetesVersion
}

# Null is less than any number.
_ended(entry) if {
	entry.end != null
	entry.end <= input.now
}

# METADATA
# description: The version that each provider would use - the requested one, or the newest supported one.
versions[name] := _version(found) if some name, found in catalog.kubernetes

_version(_) := input.request.cluster.kubernetesVersion if input.request.cluster.kubernetesVersion != null

_version(found) := [entry.version | some entry in found; not _ended(entry)][0] if {
	input.request.cluster.kubernetesVersion == null
}

# METADATA
# description: |
#   Zones for the nodes of a cluster in this place; undefined if the place does not have the requested ones. Empty if the
#   provider chooses them itself, or has no zones.
zones[id] := found if {
	input.request.cluster
	some id in additions.remaining
	found := _zones(catalog.places[id])
}

_zones(place) := wanted_zones if {
	wanted_zones := input.request.cluster.zones
	_enough[place.provider][count(wanted_zones)]
	_has_any(place)
	every zone in wanted_zones {
		region.zone_of(place, zone)
	}
} else := array.slice(all, 0, _spread) if {
	_chosen_freely
	place.provider == "aws"
	suffixes := object.get(clusters.zones.aws.regions, place.region, clusters.zones.aws.suffixes)
	all := [concat("", [place.region, suffix]) | some suffix in suffixes]
} else := [place.zone] if {
	_chosen_freely
	place.provider == "gcp"
	not input.request.cluster.highAvailability
} else := ["1", "2", "3"] if {
	_chosen_freely
	place.provider == "azure"
	input.request.cluster.highAvailability
	place.region in clusters.zones.azure
} else := [] if {
	_chosen_freely
	not _needs_zones(place)
}

_chosen_freely if input.request.cluster.zones == null

_needs_zones(place) if {
	place.provider == "azure"
	input.request.cluster.highAvailability
}

_spread := clusters.zones.aws.highlyAvailable if {
	input.request.cluster.highAvailability
} else := clusters.zones.aws.least

# Of Azure, only some regions have zones; no cluster that runs in one is refused.
_has_any(place) if {
	place.provider != "azure"
} else if {
	place.region in clusters.zones.azure
} else if {
	input.operation != "CREATE"
}

# The number of zones that a user may name. EKS wants subnets in two zones at least, and the chart cuts the network into four. AKS takes
# any of three: the nodes of one zone fail together, so one is not enough for a highly available cluster
# (https://learn.microsoft.com/azure/aks/availability-zones). Google's regional clusters have the zones of the region.
_enough := {
	"aws": {2, 3, 4},
	"azure": _enough_azure,
	"gcp": _enough_google,
}

_enough_azure := {2, 3} if {
	input.request.cluster.highAvailability
	input.operation == "CREATE"
} else := {1, 2, 3}

_enough_google := {0} if {
	input.request.cluster.highAvailability
} else := {1}

_without_zones contains id if {
	input.request.cluster
	some id in additions.remaining
	not zones[id]
}

# METADATA
# description: True if the rule could remove a place; the step is then shown.
default active := false

active if count(_effective) > 0

active if count(_without_zones) > 0

remaining := additions.remaining if not active

remaining := [id |
	some id in additions.remaining
	not lacking[catalog.places[id].provider]
	not id in _without_zones
] if active

# What the remaining providers lack.
_effective contains lacking[catalog.places[id].provider] if {
	# A machine lacks nothing, so its places are not examined.
	count(lacking) > 0
	some id in additions.remaining
}

# METADATA
# description: The step's label.
label := concat(", ", [part |
	some part in [_kubernetes_label, _limits_label, _zones_label]
	part != ""
])

default _kubernetes_label := ""

_kubernetes_label := concat(" ", ["Kubernetes", input.request.cluster.kubernetesVersion]) if {
	some denial in _effective
	startswith(denial.code, "POL_KUBERNETES")
}

default _limits_label := ""

_limits_label := "limits of the managed services" if {
	some denial in _effective
	not startswith(denial.code, "POL_KUBERNETES")
}

default _zones_label := ""

_zones_label := "several availability zones" if count(_without_zones) > 0

# METADATA
# description: The reason for each provider, if no provider remains.
denials contains denial if {
	count(remaining) == 0
	not _lacks_zones_only
	some denial in _effective
	not _of_version(denial)
}

# All providers that do not offer the version, in one denial.
denials contains denial if {
	count(remaining) == 0
	not _lacks_zones_only
	names := sort({catalog.places[id].provider | some id in additions.remaining; _of_version(lacking[catalog.places[id].provider])})
	count(names) > 0
	version := input.request.cluster.kubernetesVersion
	denial := {
		"code": "POL_KUBERNETES_VERSION",
		"message": _absent(version, names),
		"field": "spec.kubernetesVersion",
		"actual": version,
		"allowed": concat("; ", [lacking[name].allowed | some name in names]),
	}
}

_of_version(denial) if denial.code == "POL_KUBERNETES_VERSION"

# METADATA
# description: The reason why this rule refuses the only place that the object allows.
refusal(id) := lacking[catalog.places[id].provider]

refusal(id) := _zone_denial(sprintf("%s cannot have spec.zones [%s]; it takes %s", [catalog.places[id].key, _wanted_zones, usable]), usable) if {
	usable := _usable(catalog.places[id])

	not lacking[catalog.places[id].provider]
	id in _without_zones
	not _chosen_freely
}

refusal(id) := {
	"code": "POL_ZONE",
	"message": sprintf("%s has no availability zones, which spec.highAvailability needs", [catalog.places[id].key]),
	"field": "spec.highAvailability",
	"actual": "true",
	"allowed": "a region with availability zones",
} if {
	not lacking[catalog.places[id].provider]
	id in _without_zones
	_chosen_freely
}

_zone_denial(message, usable) := {
	"code": "POL_ZONE",
	"message": message,
	"field": "spec.zones",
	"actual": _wanted_zones,
	"allowed": usable,
}

_wanted_zones := concat(", ", input.request.cluster.zones)

# The zones that a cluster can have in a place, as one writes them.
_usable(place) := sprintf("2 to 4 zones, such as %sa and %sb", [place.region, place.region]) if place.provider == "aws"

_usable(place) := sprintf("%s of the zones \"1\", \"2\" and \"3\"", [_number]) if {
	place.provider == "azure"
	_has_any(place)
}

_usable(place) := "no zones, because the region has none" if {
	place.provider == "azure"
	not _has_any(place)
}

_usable(place) := "no zones, because it uses those of the region" if {
	place.provider == "gcp"
	input.request.cluster.highAvailability
}

_usable(place) := sprintf("one zone, such as %s", [place.zone]) if {
	place.provider == "gcp"
	not input.request.cluster.highAvailability
}

_number := "2 or 3" if {
	input.request.cluster.highAvailability
} else := "1 to 3"

# Of some places, only the requested zones are wrong.
_lacks_zones_only if {
	not _chosen_freely
	some id in _without_zones
	not lacking[catalog.places[id].provider]
}

# METADATA
# description: Zones that no place has. If the object allows only one place, its refusal says so.
denials contains denial if {
	count(remaining) == 0
	_lacks_zones_only
	not region.only
	usable := concat("; ", [sprintf("%s takes %s", [name, _usable(_example(name))]) |
		some name in sort({catalog.places[id].provider | some id in _without_zones} - object.keys(lacking))
	])
	denial := _zone_denial(sprintf("no region can have spec.zones [%s]; %s", [_wanted_zones, usable]), usable)
}

# A place of the provider: the one of a requested zone, otherwise one with zones if there is one.
_example(name) := catalog.places[min(_of_zones(name))] if {
	count(_of_zones(name)) > 0
} else := catalog.places[min(_with_zones(name))] if {
	count(_with_zones(name)) > 0
} else := catalog.places[min({id | some id in _without_zones; catalog.places[id].provider == name})]

# A zone has the name of its region, and a letter.
_of_zones(name) := {id |
	some id in _without_zones
	catalog.places[id].provider == name
	some zone in input.request.cluster.zones
	trim_right(trim_right(zone, "abcdef"), "-") == catalog.places[id].region
}

_with_zones(name) := {id |
	some id in _without_zones
	catalog.places[id].provider == name
	_has_any(catalog.places[id])
}

# METADATA
# description: Versions whose support ends soon, or has ended, at the remaining providers.
default warnings := []

warnings := [_warning(name, entry) |
	some name in sort({catalog.places[id].provider | some id in remaining})
	some entry in catalog.kubernetes[name]
	entry.version == versions[name]
	entry.end != null
	entry.end - (clusters.kubernetes.warnDays * 86400) <= input.now
] if {
	input.request.cluster
}

_warning(name, entry) := {
	"code": "POL_KUBERNETES_ENDS",
	"message": sprintf("%s supports Kubernetes %s until %s", [name, entry.version, entry.day]),
} if {
	not _ended(entry)
}

_warning(name, entry) := {
	"code": "POL_KUBERNETES_ENDED",
	"message": sprintf("%s supported Kubernetes %s until %s; upgrade it", [name, entry.version, entry.day]),
} if {
	_ended(entry)
}
