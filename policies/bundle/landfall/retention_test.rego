package landfall.retention_test

import data.landfall.fixture
import data.landfall.retention

_asking(spec, annotations) := object.union(
	fixture.asking({}, {}),
	{"spec": spec, "metadata": {"annotations": annotations}, "namespace": {"name": "team", "labels": {}, "annotations": {}}},
)

_fields(spec, annotations, namespaces) := found if {
	found := {d.field | some d in retention.denials} with input as _asking(spec, annotations)
		with data.landfall.settings as fixture.with_settings({"retention": {"namespaces": namespaces}})
}

_orphan := {"krateo.io/deletion-policy": "orphan"}

test_what_stays_is_denied_where_it_is_not_allowed if {
	_fields({"deletionPolicy": "retain"}, _orphan, []) == {"spec.deletionPolicy", "metadata.annotations"}
	_fields({"deletionPolicy": "retain"}, {}, ["other"]) == {"spec.deletionPolicy"}
}

test_a_disk_that_stays_is_denied_where_it_is_not_allowed if {
	disks := [{"name": "a"}, {"name": "b", "deletionPolicy": "retain"}]
	_fields({"disks": disks}, {}, []) == {"spec.disks.1.deletionPolicy"}
	_fields({"disks": disks}, {}, ["team"]) == set()
}

test_what_is_deleted_is_allowed if {
	_fields({"deletionPolicy": "delete"}, {"krateo.io/deletion-policy": "delete"}, []) == set()
}

test_the_settings_allow_namespaces[name] if {
	some name, namespaces in {"this one": ["team"], "all": ["*"]}
	_fields({"deletionPolicy": "retain"}, _orphan, namespaces) == set()
}
