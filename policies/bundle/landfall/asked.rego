# METADATA
# title: What the object itself asks for
# description: |
#   The field of the object that each rule reads, for the denial of an object for which no place remains. Limits of the platform and
#   the namespace are no fields of it.
package landfall.asked

import data.landfall.capacity
import data.landfall.catalog
import data.landfall.feature
import data.landfall.features
import data.landfall.flavour
import data.landfall.images
import data.landfall.latency
import data.landfall.scope

# METADATA
# description: rule -> field and value; a rule that reads none is absent
by["provider"] := ["spec.provider", input.request.pin.provider] if input.request.pin.provider != null

by["region"] := ["spec.schedulingLocation", input.request.pin.region] if input.request.pin.region != null

by["region"] := ["spec.zone", input.request.pin.zone] if {
	input.request.pin.region == null
	input.request.pin.zone != null
}

by["residency"] := ["spec.dataResidency", concat(", ", input.request.dataResidency)] if count(input.request.dataResidency) > 0

by["latency"] := ["spec.maxLatency", input.request.maxLatencyMs] if input.request.maxLatencyMs != null

by["image"] := ["spec.image", input.request.pin.image] if input.request.pin.image != null

by["image"] := ["spec.arch", input.request.arch] if {
	_image_of_other_arch
} else := ["spec.os", input.request.os] if {
	input.request.pin.image == null
	input.request.os != null
}

# A provider that remains has the operating system for another architecture.
_image_of_other_arch if {
	input.request.pin.image == null
	input.request.arch != "amd64"
	some id in latency.remaining
	images.by_provider[catalog.places[id].provider][scope.os]
}

by["feature"] := ["spec.capacity", "spot"] if {
	capacity.asked == "spot"
	count(_wanted) == 0
} else := _of_feature(_wanted[0])

by["cluster"] := ["spec.highAvailability", "true"] if {
	input.request.cluster.highAvailability
	input.request.cluster.zones == null
}

by["flavour"] := ["spec.nodePools", null] if {
	input.request.cluster
} else := ["spec.arch", input.request.arch] if {
	flavour.of_other_arch
} else := ["spec.memory", input.request.memoryGiB] if {
	_much_memory
} else := ["spec.cpu", input.request.cpu]

# Types with the most memory have about this much GiB per vCPU.
_much_memory if input.request.memoryGiB > input.request.cpu * 8

# The features of the object that any provider lacks.
_wanted := sort({name |
	some name in feature.wanted
	some unsupported in features.unsupported
	unsupported[name]
})

# The field of a feature, and its value where the denial shows it.
_of_feature("diskType") := ["spec.osDisk.type", input.spec.osDisk.type] if {
	input.spec.osDisk.type
} else := [sprintf("spec.disks[%d].type", [_typed_disks[0]]), input.spec.disks[_typed_disks[0]].type]

_of_feature(name) := [_fields[name], null] if name != "diskType"

_typed_disks := [index | some index, disk in input.spec.disks; disk.type]

_fields := {
	"ports": "spec.ports",
	"publicIP": "spec.network.publicIP",
	"tagsWithoutLabels": "spec.tags",
	"zone": "spec.zone",
	"smallOsDisk": "spec.osDisk.sizeGiB",
	"userData": "spec.userData",
	"ecdsaKey": "spec.sshPublicKey",
	"shortKey": "spec.sshPublicKey",
	"keptDisk": "spec.disks",
	"securityGroups": "spec.network.existing",
	"publicIPInExistingNetwork": "spec.network.publicIP",
	"portsWithoutNetwork": "spec.network.existing",
	"portsOfOtherProject": "spec.ports",
	"existingNetworkWithoutSubnet": "spec.network.existing",
	"existingNetworkWithoutNetwork": "spec.network.existing",
}
