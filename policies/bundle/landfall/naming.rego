# METADATA
# title: Names of objects and machines
# description: Patterns for the names of objects and machines, and machines that share a name.
package landfall.naming

import data.landfall.exemption
import data.landfall.scope
import data.landfall.settings

_vm_name := object.get(object.get(input, "spec", {}), "vmName", null)

# A machine without its own name uses its object's, with dashes instead of dots as in the chart.
_effective := replace(object.get(object.get(input, "spec", {}), "vmName", input.request.name), ".", "-")

# The patterns that must all match, and who set each.
_patterns := [entry |
	some entry in [
		{"by": "settings.naming.name", "pattern": settings.naming.name, "field": "metadata.name", "actual": input.request.name},
		{"by": "settings.naming.vmName", "pattern": settings.naming.vmName, "field": "spec.vmName", "actual": _vm_name},
		{"by": "namespace landfall.dev/name-pattern", "pattern": _of_namespace, "field": "metadata.name", "actual": input.request.name},
	]
	entry.pattern != null
	entry.actual != null
]

default _of_namespace := null

_of_namespace := scope.namespace_setting("landfall.dev/name-pattern", "_")

# METADATA
# description: Denials for names that do not match a pattern, and for names that another machine has.
denials contains denial if {
	not exemption.waived.POL_NAMING
	some entry in _patterns
	regex.is_valid(entry.pattern)
	not regex.match(entry.pattern, entry.actual)
	denial := {
		"code": "POL_NAMING",
		"message": sprintf("%s %s does not match %s, required by %s", [entry.field, entry.actual, entry.pattern, entry.by]),
		"field": entry.field,
		"actual": entry.actual,
		"allowed": entry.pattern,
	}
}

# METADATA
# description: |
#   A pattern of the settings that no name can be compared with. The build refuses it; a bundle of an earlier version may have one.
#   data.landfall.scope denies that of a namespace.
denials contains denial if {
	not exemption.waived.POL_NAMING
	some entry in _patterns
	startswith(entry.by, "settings.")
	not regex.is_valid(entry.pattern)
	denial := {
		"code": "POL_SETTINGS",
		"message": sprintf("%s %s is not a regular expression (RE2), so %s cannot be compared with it", [entry.by, entry.pattern, entry.field]),
		"field": entry.by,
		"actual": entry.pattern,
		"allowed": "a regular expression (RE2), or null for any name",
	}
}

denials contains denial if {
	not exemption.waived.POL_VM_NAME_TAKEN
	input.facts.vmName == _effective
	some other in input.facts.sameVmName
	_counts(other)
	denial := {
		"code": "POL_VM_NAME_TAKEN",
		"message": sprintf("the machine name %s is already used by %s", [_effective, _shown(other)]),
		"field": "spec.vmName",
		"actual": _effective,
		"allowed": null,
	}
}

# What other namespaces have is not for this one's users.
_shown(other) := concat("/", [other.namespace, other.name]) if other.namespace == input.namespace.name

_shown(other) := "a machine of another namespace" if other.namespace != input.namespace.name

_counts(_) if settings.naming.uniqueVmName == "cluster"

_counts(other) if {
	settings.naming.uniqueVmName == "namespace"
	other.namespace == input.namespace.name
}

# METADATA
# description: |
#   Warnings of patterns that are written as those of a shell. As regular expressions they hold nearly every name: team-* is team, and any
#   number of dashes after it, anywhere in a name.
warnings := [{"code": "POL_NAME_PATTERN", "message": message} |
	some message in {sprintf("%s %s is a regular expression (RE2): its * repeats the character before it, so many other names match; write %s", [entry.by, entry.pattern, _meant(entry.pattern)]) |
		some entry in _patterns
		regex.match(`^[A-Za-z0-9-]*[A-Za-z0-9-][*][A-Za-z0-9-]*$`, entry.pattern)
	}
]

_meant(pattern) := sprintf("^%s", [trim_suffix(pattern, "*")]) if endswith(pattern, "*")

_meant(pattern) := sprintf("^%s$", [replace(pattern, "*", ".*")]) if not endswith(pattern, "*")
