# METADATA
# title: Features of the machine
# description: Removes providers without the requested features; data.landfall.features lists them with reasons.
package landfall.feature

import data.landfall.capacity
import data.landfall.catalog
import data.landfall.features
import data.landfall.image
import data.landfall.images
import data.landfall.owner
import data.landfall.run
import data.landfall.scope
import data.landfall.tags

_network := object.get(input.spec, "network", {})

_existing := object.get(_network, "existing", null)

# METADATA
# description: The features that the object requests, by the names of data.landfall.features.
wanted contains "ports" if count(input.spec.ports) > 0

wanted contains "publicIP" if _network.publicIP

# Of a cluster, landfall.cluster asks for them: it gives the reason also where more than one region remains.
wanted contains "tagsWithoutLabels" if {
	not input.request.cluster
	tags.no_labels
}

wanted contains "azureTags" if {
	not input.request.cluster
	tags.begin_like_azure
}

# Azure attaches at least two data disks for each vCPU to every size, and to many no more.
wanted contains "manyDisks" if count(input.spec.disks) > _vcpus * 2

# Of a type that the object names, or that stays: its own.
_vcpus := max({input.request.cpu} | {catalog.types[id][1] |
	some ids in catalog.typeIds
	id := ids[input.request.pin.instanceType]
})

wanted contains "zone" if input.request.pin.zone != null

# The images of Azure's operating systems have 30 GB. The owner of another image knows its size.
wanted contains "smallOsDisk" if {
	not input.request.cluster
	not input.spec.image
	_os_disk_gib < 30
}

_os_disk_gib := input.spec.osDisk.sizeGiB

_os_disk_gib := scope.os_disk.sizeGiB if {
	not input.spec.osDisk
	is_number(scope.os_disk.sizeGiB)
}

# Only an image with cloud-init runs user data.
wanted contains "userData" if {
	input.spec.userData
	some pattern in object.get(images, "withoutCloudInit", [])
	regex.match(pattern, image.by_provider.gcp)
}

wanted contains "ecdsaKey" if startswith(input.spec.sshPublicKey, "ecdsa-")

# An RSA key of 2048 bits has 372 characters in base64.
wanted contains "shortKey" if {
	parts := split(input.spec.sshPublicKey, " ")
	parts[0] == "ssh-rsa"
	count(parts[1]) < 372
}

wanted contains "diskType" if input.spec.osDisk.type

wanted contains "diskType" if {
	some disk in input.spec.disks
	disk.type
}

wanted contains "keptDisk" if {
	some disk in input.spec.disks
	disk.deletionPolicy == "retain"
}

wanted contains "securityGroups" if count(_existing.securityGroups) > 0

wanted contains "publicIPInExistingNetwork" if {
	_existing != null
	_network.publicIP
}

wanted contains "portsWithoutNetwork" if {
	_existing != null
	not _existing.network
	count(input.spec.ports) > 0
}

# Google Cloud takes no firewall rule of one project for the network of another, as of a host project with a Shared VPC.
wanted contains "portsOfOtherProject" if {
	count(input.spec.ports) > 0
	owner.project != ""
	network := lower(_existing.network)
	contains(network, "projects/")
	not owner.is_own(network)
}

wanted contains "existingNetworkWithoutSubnet" if {
	_existing != null
	not _existing.subnet
}

wanted contains "existingNetworkWithoutNetwork" if {
	_existing != null
	not _existing.network
}

# METADATA
# description: provider -> why it cannot run this machine, the first reason by name
lacking[name] := reasons[0] if {
	some name, unsupported in features.unsupported
	reasons := array.concat([unsupported[feature] | some feature in wanted], array.concat([why | some reasons_of in [run.cannot_stop, run.cannot_recreate]; why := reasons_of[name]], [why | why := capacity.cannot[name]]))
	count(reasons) > 0
}

# METADATA
# description: True if the rule could remove a place; the step is then shown.
default active := false

active if count(lacking) > 0

remaining := image.remaining if not active

remaining := [id |
	some id in image.remaining
	not lacking[catalog.places[id].provider]
] if active

label := concat(" ", ["providers with", concat(", ", sort(array.concat([feature | some feature in wanted; _matters(feature)], array.concat(_spot, _stop))))])

_spot := ["spot" | count(capacity.cannot) > 0]

_stop := array.concat(["stop" | count(run.cannot_stop) > 0], ["recreate" | count(run.cannot_recreate) > 0])

_matters(feature) if {
	some unsupported in features.unsupported
	unsupported[feature]
}

# METADATA
# description: The reason why this rule refuses the only place that the object allows.
refusal(id) := {
	"code": "POL_FEATURE",
	"message": sprintf("%s cannot run this machine: %s", [provider, lacking[provider]]),
	"field": "spec.provider",
	"actual": provider,
	"allowed": concat(", ", [name | some name in sort(object.keys(features.unsupported)); not lacking[name]]),
} if {
	provider := catalog.places[id].provider
}
