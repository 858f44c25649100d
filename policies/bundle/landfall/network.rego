# METADATA
# title: Existing networks
# description: Denies networks of other projects and subscriptions that the settings do not allow for the namespace.
package landfall.network

import data.landfall.exemption
import data.landfall.owner
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
	not owner.is_own(id)
	not owner.is_allowed(id, _prefixes)
	denial := {
		"code": "POL_NETWORK_FOREIGN",
		"message": sprintf("namespace %s is not allowed to use the network %s", [input.namespace.name, id]),
		"field": field,
		"actual": id,
		"allowed": _prefixes,
	}
}

# METADATA
# description: Denials for paths at Google Cloud that name no project in one way alone.
denials contains owner.form_denial(field, id, _forms) if {
	input.request.pin.provider == "gcp"
	some field, id in _ids
	_names_owner(id)
}

_forms := [
	{"pattern": owner.project_path("global/networks/[a-z0-9-]+"), "text": "projects/PROJECT/global/networks/NAME"},
	{"pattern": owner.project_path("regions/[a-z0-9-]+/subnetworks/[a-z0-9-]+"), "text": "projects/PROJECT/regions/REGION/subnetworks/NAME"},
]

# A path or a URL: everything but a bare name, which lies in the project or account of the namespace's own credentials.
_names_owner(id) if contains(id, "/")

_names_owner(id) if contains(id, "%")

_prefixes := owner.prefixes(object.get(settings, "networks", {}))
