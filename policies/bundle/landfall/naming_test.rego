package landfall.naming_test

import data.landfall.fixture
import data.landfall.main
import data.landfall.naming

_codes := {entry.code | some entry in naming.denials}

_naming(changes) := fixture.with_settings({"naming": object.union(fixture.settings.naming, changes)})

_named(vm_name, others) := object.union(fixture.asking({}, {}), {
	"spec": {"vmName": vm_name},
	"facts": {"vmName": "db", "sameVmName": others},
})

test_every_name_is_allowed_without_a_pattern if {
	naming.denials == set() with input as fixture.asking({}, {})
		with data.landfall.settings as fixture.settings
}

test_a_name_that_does_not_match if {
	[entry] := [entry | some entry in naming.denials] with input as fixture.asking({}, {})
		with data.landfall.settings as _naming({"name": "^team-"})
	entry.code == "POL_NAMING"
	entry.message == "metadata.name web does not match ^team-, required by settings.naming.name"
	entry.allowed == "^team-"
}

test_a_name_that_matches if {
	naming.denials == set() with input as fixture.asking({"name": "team-web"}, {})
		with data.landfall.settings as _naming({"name": "^team-"})
}

test_the_vm_name_has_its_own_pattern if {
	{entry.field | some entry in naming.denials} == {"spec.vmName"} with input as _named("Web_1", [])
		with data.landfall.settings as _naming({"vmName": "^[a-z0-9-]+$"})
	naming.denials == set() with input as fixture.asking({}, {})
		with data.landfall.settings as _naming({"vmName": "^[a-z0-9-]+$"})
}

test_a_namespace_adds_a_pattern if {
	_codes == {"POL_NAMING"} with input as fixture.from_namespace({}, {"landfall.dev/name-pattern": "^api"}, {})
		with data.landfall.settings as fixture.settings
}

test_an_invalid_pattern_of_the_settings_denies if {
	some field in ["name", "vmName"]
	[entry] := [entry | some entry in naming.denials] with input as _named("db", [])
		with data.landfall.settings as _naming({field: "(["})
	entry.code == "POL_SETTINGS"
	entry.field == sprintf("settings.naming.%s", [field])
	contains(entry.message, "([ is not a regular expression (RE2)")
}

test_an_invalid_pattern_denies_no_object_that_it_is_not_for if {
	naming.denials == set() with input as fixture.asking({}, {})
		with data.landfall.settings as _naming({"vmName": "(["})
}

test_an_invalid_pattern_is_an_invalid_setting if {
	{entry.code | some entry in main.denials} == {"POL_NAMESPACE_SETTING"} with input as fixture.from_namespace({}, {"landfall.dev/name-pattern": "(["}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_name_of_another_machine_in_the_namespace if {
	[entry] := [entry | some entry in naming.denials] with input as _named("db", [{"namespace": "team", "name": "old"}])
		with data.landfall.settings as fixture.settings
	entry.code == "POL_VM_NAME_TAKEN"
	entry.message == "the machine name db is already used by team/old"
}

test_dots_become_dashes_in_a_machine_name if {
	asked := object.union(_named("d.b", [{"namespace": "team", "name": "d-b"}]), {"facts": {"vmName": "d-b"}})
	_codes == {"POL_VM_NAME_TAKEN"} with input as asked
		with data.landfall.settings as fixture.settings
}

test_other_namespaces_count_only_if_names_are_unique_in_the_cluster if {
	others := [{"namespace": "other", "name": "old"}]
	naming.denials == set() with input as _named("db", others)
		with data.landfall.settings as fixture.settings
	_codes == {"POL_VM_NAME_TAKEN"} with input as _named("db", others)
		with data.landfall.settings as _naming({"uniqueVmName": "cluster"})
	naming.denials == set() with input as _named("db", [{"namespace": "team", "name": "old"}])
		with data.landfall.settings as _naming({"uniqueVmName": "none"})
}

test_objects_of_other_namespaces_are_not_named if {
	others := [{"namespace": "other", "name": "old"}, {"namespace": "third", "name": "web"}]
	{entry.message | some entry in naming.denials} == {"the machine name db is already used by a machine of another namespace"} with input as _named("db", others)
		with data.landfall.settings as _naming({"uniqueVmName": "cluster"})
}

test_an_exemption_waives_both if {
	entry := {
		"id": "1", "owner": "o", "reason": "r", "expires": "2027-01-01", "codes": ["POL_NAMING", "POL_VM_NAME_TAKEN"],
		"namespaces": ["*"], "names": ["*"],
	}
	naming.denials == set() with input as _named("db", [{"namespace": "team", "name": "old"}])
		with data.landfall.settings as object.union(_naming({"name": "^team-"}), {"exemptions": [entry]})
}

test_facts_about_another_name_are_ignored if {
	naming.denials == set() with input as _named("web", [{"namespace": "team", "name": "old"}])
		with data.landfall.settings as fixture.settings
}

test_a_pattern_of_a_shell_is_noted if {
	[note] := naming.warnings with input as fixture.asking({"name": "team-web"}, {})
		with data.landfall.settings as _naming({"name": "team-*"})
	note.code == "POL_NAME_PATTERN"
	endswith(note.message, "write ^team-")
	[other] := naming.warnings with input as fixture.asking({"name": "team-web"}, {})
		with data.landfall.settings as _naming({"name": "team-*-x"})
	endswith(other.message, "write ^team-.*-x$")
}

test_a_regular_expression_is_not_noted[pattern] if {
	some pattern in ["^team-", "^team-.*$", "team", "^[a-z]*$"]
	naming.warnings == [] with input as fixture.asking({"name": "team-web"}, {})
		with data.landfall.settings as _naming({"name": pattern})
}
