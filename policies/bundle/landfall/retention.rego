# METADATA
# title: Retained resources
# description: Denies objects that leave resources at the provider when they are deleted, where the settings do not allow it.
package landfall.retention

import data.landfall.exemption
import data.landfall.settings

# What stays when the object is deleted, by field.
_left["spec.deletionPolicy"] := "retain" if input.spec.deletionPolicy == "retain"

_left["metadata.annotations"] := "krateo.io/deletion-policy: orphan" if {
	input.metadata.annotations["krateo.io/deletion-policy"] == "orphan"
}

_left[sprintf("spec.disks.%d.deletionPolicy", [index])] := "retain" if {
	some index, disk in input.spec.disks
	disk.deletionPolicy == "retain"
}

# METADATA
# description: Denials for objects that keep their release or their resources.
denials contains denial if {
	not exemption.waived.POL_RETENTION
	some field, value in _left
	not _allowed
	denial := {
		"code": "POL_RETENTION",
		"message": sprintf("objects of namespace %s must not leave resources at the provider", [input.namespace.name]),
		"field": field,
		"actual": value,
		"allowed": null,
	}
}

_allowed if {
	some name in object.get(object.get(settings, "retention", {}), "namespaces", ["*"])
	name in {"*", input.namespace.name}
}
