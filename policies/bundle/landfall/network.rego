# METADATA
# title: Existing networks
# description: Denies networks of other projects and subscriptions that the settings do not allow for the namespace.
package landfall.network

import data.landfall.exemption
import data.landfall.settings

_existing := object.get(object.get(object.get(input, "spec", {}), "network", {}), "existing", {})

# The ids that the object names, by field.
_ids[sprintf("spec.network.existing.%s", [field])] := lower(id) if {
	some field in ["network", "subnet"]
	id := _existing[field]
}

_ids[sprintf("spec.network.existing.securityGroups.%d", [index])] := lower(id) if {
	some index, id in _existing.securityGroups
}

# METADATA
# description: Denials for ids that name another project or subscription.
denials contains denial if {
	not exemption.waived.POL_NETWORK_FOREIGN
	some field, id in _ids
	_names_owner(id)
	not _own(id)
	not _allowed(id)
	denial := {
		"code": "POL_NETWORK_FOREIGN",
		"message": sprintf("namespace %s is not allowed to use the network %s", [input.namespace.name, id]),
		"field": field,
		"actual": id,
		"allowed": _prefixes,
	}
}

# A path or a URL: everything but a bare name, which lies in the project or account of the namespace's own credentials.
_names_owner(id) if contains(id, "/")

_names_owner(id) if contains(id, "%")

# Config Connector creates the namespace's resources in this project.
_own(id) if {
	_is_plain(id)
	project := object.get(input.namespace.annotations, "cnrm.cloud.google.com/project-id", "")
	project != ""
	startswith(trim_prefix(id, "https://www.googleapis.com/compute/v1/"), sprintf("projects/%s/", [lower(project)]))
}

_allowed(id) if {
	_is_plain(id)
	some prefix in _prefixes
	startswith(sprintf("%s/", [id]), sprintf("%s/", [trim_suffix(lower(prefix), "/")]))
}

# Nothing that a provider could read as another path than it is here.
_is_plain(id) if {
	not contains(id, "..")
	not regex.match(`[\\%?#\s]`, id)
	not contains(trim_prefix(id, "https://"), "//")
}

_prefixes := sort({prefix |
	some name in [input.namespace.name, "*"]
	some prefix in object.get(_by_namespace, name, [])
})

_by_namespace := object.get(object.get(settings, "networks", {}), "allowed", {})
