package landfall.network_test

import data.landfall.fixture
import data.landfall.network

_asking(existing, annotations) := object.union(
	fixture.asking({}, {}),
	{"spec": {"network": {"existing": existing}}, "namespace": {"name": "team", "labels": {}, "annotations": annotations}},
)

_hub := "/subscriptions/1/resourceGroups/shared/providers/Microsoft.Network/virtualNetworks/hub/subnets/apps"

_codes(existing, annotations, allowed) := found if {
	found := {[d.code, d.field] | some d in network.denials} with input as _asking(existing, annotations)
		with data.landfall.settings as fixture.with_settings({"networks": {"allowed": allowed}})
}

_subnet := {["POL_NETWORK_FOREIGN", "spec.network.existing.subnet"]}

test_a_network_of_another_owner_is_denied[name] if {
	some name, id in {
		"subscription": _hub,
		"project": "projects/other-team/global/networks/prod",
		"url": "https://www.googleapis.com/compute/v1/projects/other-team/global/networks/prod",
		"encoded": "projects%2fother-team%2fglobal%2fnetworks%2fprod",
		"leading slash": "/projects/other-team/global/networks/prod",
	}
	_codes({"subnet": id}, {}, {}) == _subnet
}

test_all_ids_are_checked if {
	found := _codes({"network": "projects/a/x", "securityGroups": ["sg-1", "a/b"]}, {}, {})
	found == {
		["POL_NETWORK_FOREIGN", "spec.network.existing.network"],
		["POL_NETWORK_FOREIGN", "spec.network.existing.securityGroups.1"],
	}
}

test_a_bare_id_is_of_the_own_account if {
	_codes({"network": "vpc-1", "subnet": "subnet-1", "securityGroups": ["sg-1"]}, {}, {}) == set()
}

test_settings_allow_a_prefix_for_a_namespace if {
	_codes({"subnet": _hub}, {}, {"team": ["/subscriptions/1/resourcegroups/shared"]}) == set()
	_codes({"subnet": _hub}, {}, {"*": ["/subscriptions/1/"]}) == set()
	_codes({"subnet": _hub}, {}, {"other": ["/subscriptions/1"]}) == _subnet
}

test_a_prefix_ends_at_a_segment if {
	_codes({"subnet": "projects/shared-2/x"}, {}, {"team": ["projects/shared"]}) == _subnet
}

test_a_path_that_leaves_the_prefix_is_denied[id] if {
	some id in ["projects/shared/../other/x", "projects/shared/%2e%2e/other", "projects/shared//x", "projects/shared/x?a"]
	_codes({"subnet": id}, {}, {"team": ["projects/shared"]}) == _subnet
}

test_the_project_of_the_namespace_is_its_own if {
	own := {"cnrm.cloud.google.com/project-id": "mine"}
	_codes({"network": "projects/mine/global/networks/a"}, own, {}) == set()
	_codes({"subnet": "https://www.googleapis.com/compute/v1/projects/mine/regions/a/subnetworks/b"}, own, {}) == set()
	_codes({"subnet": "projects/mine/../other/x"}, own, {}) == _subnet
}

test_settings_without_the_list_allow_nothing if {
	found := {d.code | some d in network.denials} with input as _asking({"subnet": _hub}, {})
		with data.landfall.settings as fixture.settings
	found == {"POL_NETWORK_FOREIGN"}
}

_form_fields(provider, existing) := {d.field |
	asking := object.union(_asking(existing, {}), {"request": {"pin": {"provider": provider}}})
	some d in network.denials with input as asking
		with data.landfall.settings as fixture.settings
	d.code == "POL_GOOGLE_NAME"
}

test_a_network_of_google_with_two_projects_is_denied[id] if {
	some id in [
		"projects/mine/projects/other/global/networks/x",
		"projects/mine/global/networks/x/projects/other/global/networks/y",
		"/subscriptions/1/projects/other/global/networks/x",
		"projects/mine/networks/x",
	]
	_form_fields("gcp", {"network": id}) == {"spec.network.existing.network"}
	_form_fields("azure", {"network": id}) == set()
}

test_one_path_of_google_is_enough if {
	_form_fields("gcp", {"network": "projects/mine/global/networks/x", "subnet": "subnet-1"}) == set()
	_form_fields("gcp", {"subnet": "https://www.googleapis.com/compute/v1/projects/example.com:a/regions/r/subnetworks/x"}) == set()
}
