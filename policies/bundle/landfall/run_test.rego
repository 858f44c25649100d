package landfall.run_test

import data.landfall.fixture
import data.landfall.run

_asking(spec, annotations) := object.union(
	fixture.asking({}, {}),
	{"spec": spec, "namespace": {"name": "team", "labels": {}, "annotations": annotations}},
)

_when_done(spec, annotations, settings) := value if {
	value := run.when_done with input as _asking(spec, annotations)
		with data.landfall.settings as fixture.with_settings(settings)
}

_delete := {"runs": {"whenDone": "delete", "controller": "landfall"}}

test_the_object_says_it_first if {
	_when_done({"duration": "1h", "whenDone": "keep"}, {"landfall.dev/when-done": "stop"}, _delete) == "keep"
	_when_done({"whenDone": "delete"}, {}, {}) == "delete"
}

test_then_its_namespace_and_then_the_platform if {
	_when_done({"duration": "1h"}, {"landfall.dev/when-done": "stop"}, _delete) == "stop"
	_when_done({"duration": "1h"}, {"landfall.dev/when-done": "explode"}, _delete) == "delete"
	_when_done({"maxLifetime": "1h"}, {}, _delete) == "delete"
	_when_done({"duration": "1h"}, {}, {}) == "keep"
}

test_nothing_of_a_service_and_of_what_is_retained if {
	_when_done({}, {"landfall.dev/when-done": "delete"}, _delete) == "keep"
	_when_done({"duration": "1h", "deletionPolicy": "retain"}, {}, _delete) == "keep"
}

test_a_cluster_is_not_stopped_by_a_default if {
	asked := object.union(_asking({"duration": "1h"}, {"landfall.dev/when-done": "stop"}), {"request": {"kind": "KaasCluster"}})
	run.when_done == "keep" with input as asked with data.landfall.settings as fixture.settings
	run.when_done == "keep" with input as asked with data.landfall.settings as fixture.with_settings({"runs": {"whenDone": "stop"}})
}

_impossible := {"impossible": {"azure": {"VmTemplate": {"stop": "no power state"}}, "gcp": {"VmTemplate": {}}}}

test_the_providers_that_cannot_stop_are_named if {
	run.cannot_stop == {"azure": "no power state"} with input as _asking({"whenDone": "stop"}, {})
		with data.landfall.catalog as object.union(fixture.catalog, _impossible)
		with data.landfall.settings as fixture.settings
	run.cannot_stop == {} with input as _asking({"whenDone": "delete"}, {})
		with data.landfall.catalog as object.union(fixture.catalog, _impossible)
		with data.landfall.settings as fixture.settings
	run.cannot_stop == {} with input as _asking({"whenDone": "stop"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
}

_denied(spec, settings) := found if {
	found := {[d.code, d.field] | some d in run.denials} with input as _asking(spec, {})
		with data.landfall.settings as fixture.with_settings(settings)
}

_krateo := {"runs": {"whenDone": "keep", "controller": "krateo"}}

test_nothing_ends_where_krateo_installs if {
	_denied({"duration": "1h"}, _krateo) == set()
	_denied({"whenDone": "keep"}, _krateo) == set()
	_denied({"whenDone": "delete", "maxLifetime": "2h"}, _krateo) == {["POL_RUN_CONTROLLER", "spec.whenDone"], ["POL_RUN_CONTROLLER", "spec.maxLifetime"]}
	_denied({"whenDone": "delete", "maxLifetime": "2h"}, {}) == set()
}

test_what_is_retained_cannot_be_deleted if {
	_denied({"whenDone": "delete", "deletionPolicy": "retain"}, {}) == {["POL_RUN_RETAINS", "spec.whenDone"]}
	_denied({"maxLifetime": "1h", "deletionPolicy": "retain"}, {}) == {["POL_RUN_RETAINS", "spec.maxLifetime"]}
	_denied({"whenDone": "stop", "maxLifetime": "1h", "deletionPolicy": "retain"}, {}) == set()
	_denied({"whenDone": "keep", "deletionPolicy": "retain"}, {}) == set()
	_denied({"whenDone": "delete"}, {}) == set()
}

test_what_is_orphaned_has_no_end if {
	every asked in [{"whenDone": "delete"}, {"whenDone": "stop"}, {"maxLifetime": "1h"}] {
		_orphaned(asked) == {"POL_RUN_RETAINS"}
	}
	_orphaned({"duration": "1h"}) == set()
}

_orphaned(spec) := codes if {
	asked := object.union(_asking(spec, {}), {"metadata": {"annotations": {"krateo.io/deletion-policy": "orphan"}}})
	codes := {denial.code | some denial in run.denials with input as asked with data.landfall.settings as fixture.settings}
}

test_a_pinned_provider_that_cannot_stop_is_denied_with_those_that_can if {
	base := _asking({"whenDone": "stop"}, {})
	asked := object.union(base, {"request": object.union(base.request, {"pin": object.union(base.request.pin, {"provider": "azure"})})})
	some denial in run.denials with input as asked
		with data.landfall.catalog as object.union(fixture.catalog, _impossible)
		with data.landfall.settings as fixture.settings
	[denial.code, denial.allowed] == ["POL_RUN_STOP", "stop at gcp"]
}

test_a_run_that_may_pause_needs_a_provider_that_can_stop if {
	run.cannot_stop == {"azure": "no power state"} with input as _asking({"interruptible": {}}, {})
		with data.landfall.catalog as object.union(fixture.catalog, _impossible)
		with data.landfall.settings as fixture.settings
}

test_a_pin_of_another_provider_names_the_field if {
	base := _asking({"interruptible": {"maxPauses": 2}}, {})
	asked := object.union(base, {"request": object.union(base.request, {"pin": object.union(base.request.pin, {"provider": "azure"})})})
	some denial in run.denials with input as asked
		with data.landfall.catalog as object.union(fixture.catalog, _impossible)
		with data.landfall.settings as fixture.settings
	[denial.code, denial.field] == ["POL_RUN_STOP", "spec.interruptible"]
}

test_nothing_pauses_where_krateo_installs if {
	_denied({"interruptible": {}}, _krateo) == {["POL_RUN_CONTROLLER", "spec.interruptible"]}
	_denied({"interruptible": {}}, {}) == set()
}

_recreate := {
	"aws": {"VmTemplate": {"stop": "never stops", "reattach": "no resource for a volume"}},
	"azure": {"VmTemplate": {"stop": "no power state"}},
	"gcp": {"VmTemplate": {}},
}

_by_recreate(spec, provider) := object.union(base, {"request": object.union(base.request, {"pin": object.union(base.request.pin, {"provider": provider})})}) if {
	base := _asking(object.union(spec, {"interruptible": {"by": "recreate"}}), {})
}

_kept := {"disks": [{"name": "data", "sizeGiB": 10, "deletionPolicy": "retain"}]}

test_recreate_needs_no_place_that_can_stop if {
	every provider in ["aws", "azure"] {
		run.denials == set() with input as _by_recreate({}, provider)
			with data.landfall.catalog as object.union(fixture.catalog, {"impossible": _recreate})
			with data.landfall.settings as fixture.settings
	}
	run.cannot_recreate == {} with input as _by_recreate({}, null)
		with data.landfall.catalog as object.union(fixture.catalog, {"impossible": _recreate})
		with data.landfall.settings as fixture.settings
}

test_a_disk_that_stays_needs_a_place_that_attaches_it_again if {
	some denial in run.denials with input as _by_recreate(_kept, "aws")
		with data.landfall.catalog as object.union(fixture.catalog, {"impossible": _recreate})
		with data.landfall.settings as fixture.settings
	[denial.code, denial.field, denial.allowed] == ["POL_RUN_STOP", "spec.interruptible.by", "recreate at azure or gcp"]
	run.denials == set() with input as _by_recreate(_kept, "azure")
		with data.landfall.catalog as object.union(fixture.catalog, {"impossible": _recreate})
		with data.landfall.settings as fixture.settings
}

test_a_machine_that_is_retained_is_not_deleted_for_a_pause if {
	_denied({"interruptible": {"by": "recreate"}, "deletionPolicy": "retain"}, {}) == {["POL_RUN_RETAINS", "spec.interruptible.by"]}
	_denied({"interruptible": {"by": "stop"}, "deletionPolicy": "retain"}, {}) == set()
}

test_a_run_that_is_created_again_may_still_have_to_stop_at_its_end if {
	run.cannot_stop == {"aws": "never stops", "azure": "no power state"} with input as _by_recreate({"whenDone": "stop"}, null)
		with data.landfall.catalog as object.union(fixture.catalog, {"impossible": _recreate})
		with data.landfall.settings as fixture.settings
}

test_a_stop_is_named_with_the_fields_that_ask_for_it if {
	run.asks_to_stop == "spec.whenDone stop and spec.interruptible" with input as _asking({"whenDone": "stop", "interruptible": {}}, {})
		with data.landfall.settings as fixture.settings
	run.asks_to_stop == "spec.interruptible" with input as _asking({"interruptible": {}}, {})
		with data.landfall.settings as fixture.settings
	run.asks_to_stop == "spec.whenDone stop" with input as _by_recreate({"whenDone": "stop"}, null)
		with data.landfall.settings as fixture.settings
}

test_a_stop_of_the_namespace_is_named_as_one if {
	asked := _asking({"duration": "1h"}, {"landfall.dev/when-done": "stop"})
	run.asks_to_stop == "the whenDone stop of the namespace or the platform" with input as asked
		with data.landfall.settings as fixture.settings
}
