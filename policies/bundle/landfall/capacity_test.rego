package landfall.capacity_test

import data.landfall.capacity
import data.landfall.fixture
import data.landfall.main

_catalog := object.union(fixture.catalog, {
	"impossible": {"aws": {"VmTemplate": {}}, "azure": {"VmTemplate": {}}, "elemento": {"VmTemplate": {"spot": "none is sold"}}, "gcp": {"VmTemplate": {}}},
	"spot": {format_int(id, 10): "0.04     0.05     " | some id, _ in fixture.catalog.types},
})

_asking(spec, pins) := object.union(fixture.asking({}, pins), {"spec": spec})

_result(spec, pins, catalog) := result if {
	result := main.result with input as _asking(spec, pins)
		with data.landfall.catalog as catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

_keys(result) := {candidate.place | some candidate in result.candidates}

test_without_a_request_candidates_say_nothing_of_it if {
	result := _result({}, {}, _catalog)
	every candidate in result.candidates {
		not candidate.capacity
	}
}

test_spot_is_bought_only_where_it_is_sold if {
	result := _result({"capacity": "spot"}, {}, _catalog)
	not "elemento/ovh-fr-paris" in _keys(result)
	{candidate.capacity | some candidate in result.candidates} == {"spot"}
	{candidate.pricePerHour | some candidate in result.candidates; candidate.place == "azure/italynorth"} == {0.05}
}

test_a_spot_price_that_is_not_known_is_null if {
	result := _result({"capacity": "spot"}, {}, object.remove(_catalog, ["spot"]))
	{candidate.pricePerHour | some candidate in result.candidates} == {null}
}

test_either_takes_spot_only_where_its_price_is_known_and_lower[case] if {
	some case, expected in {"known": "spot", "unknown": "on-demand", "dearer": "on-demand", "the same": "on-demand"}
	prices := {"known": "0.04     0.05     ", "unknown": "null     null     ", "dearer": "9        9        ", "the same": "0.1      0.12     "}[case]
	catalog := object.union(_catalog, {"spot": {format_int(id, 10): prices | some id, _ in fixture.catalog.types}})
	result := _result({"capacity": "either"}, {"provider": "azure"}, catalog)
	{candidate.capacity | some candidate in result.candidates} == {expected}
}

test_either_is_on_demand_where_no_spot_is_sold_or_it_is_stopped if {
	{candidate.capacity | some candidate in _result({"capacity": "either"}, {"provider": "elemento"}, _catalog).candidates} == {"on-demand"}
	{candidate.capacity | some candidate in _result({"capacity": "either", "whenDone": "stop"}, {}, _catalog).candidates} == {"on-demand"}
}

test_the_decided_type_stays if {
	{candidate.capacity | some candidate in _result({"capacity": "either", "capacityType": "on-demand"}, {}, _catalog).candidates} == {"on-demand"}
}

_codes(spec, pins) := {[d.code, d.field] | some d in _result(spec, pins, _catalog).denials}

test_only_a_pin_is_denied_with_those_that_sell_it if {
	_codes({"capacity": "spot"}, {"provider": "elemento"}) == {["POL_SPOT", "spec.capacity"]}
	some denial in _result({"capacity": "spot"}, {"provider": "elemento"}, _catalog).denials
	denial.allowed == "spot at aws or azure or gcp"
	_codes({"capacity": "either"}, {"provider": "elemento"}) == set()
	_codes({"capacity": "spot"}, {}) == set()
}

test_a_spot_machine_is_not_to_be_stopped if {
	_codes({"capacity": "spot", "whenDone": "stop"}, {}) == {["POL_SPOT_STOP", "spec.whenDone"]}
	_codes({"capacity": "spot", "interruptible": {}}, {}) == {["POL_SPOT_STOP", "spec.interruptible"]}
	_codes({"capacity": "either", "whenDone": "stop"}, {}) == set()
}

test_a_type_that_the_capacity_does_not_allow if {
	_codes({"capacity": "on-demand", "capacityType": "spot"}, {}) == {["POL_CAPACITY_TYPE", "spec.capacityType"]}
	_codes({"capacity": "spot", "capacityType": "on-demand"}, {}) == {["POL_CAPACITY_TYPE", "spec.capacityType"]}
	_codes({"capacity": "either", "capacityType": "spot"}, {}) == set()
}

test_a_limit_of_the_price_counts_the_spot_price if {
	capacity.price([0, 0]) == 0.04 with input as _asking({"capacity": "spot"}, {}) with data.landfall.catalog as _catalog
}

_bought(result) := {[candidate.instanceType, candidate.capacity] | some candidate in result.candidates}

_burstable(spec, pins, annotations) := result if {
	asked := fixture.asking({"burstable": true}, object.union({"provider": "azure"}, pins))
	result := main.result with input as object.union(asked, {"spec": spec, "namespace": {"annotations": annotations}})
		with data.landfall.catalog as _catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

_eastus := {"region": "eastus"}

test_burstable_machines_of_azure_are_never_spot if {
	_bought(_burstable({"capacity": "spot"}, _eastus, {})) == {["D2", "spot"]}
	_bought(_burstable({"capacity": "on-demand"}, _eastus, {})) == {["B2", "on-demand"]}
	_bought(_burstable({"capacity": "either"}, _eastus, {})) == {["B2", "on-demand"]}
}

test_other_providers_sell_burstable_machines_as_spot if {
	"aws/eu-west-1" in _keys(_burstable({"capacity": "spot"}, {"provider": null}, {}))
	capacity.no_burstable == {} with input as _asking({"capacity": "either"}, {})
	object.keys(capacity.no_burstable) == {"azure"} with input as _asking({"capacity": "spot"}, {})
}

_families(names) := {"landfall.dev/families": names}

_denial(result) := [denial.code, denial.field, denial.message] if some denial in result.denials

test_where_only_burstable_machines_are_allowed_the_denial_says_why if {
	expected := ["POL_SPOT", "spec.capacity", "azure has no spot machine of 2 vCPU, 4 GiB that is allowed here: it sells its burstable machines, the B-series, on demand only"]
	_denial(_burstable({"capacity": "spot"}, _eastus, _families("burstable"))) == expected
	_denial(_burstable({"capacity": "spot"}, {}, _families("burstable"))) == expected
	_bought(_burstable({"capacity": "spot"}, _eastus, _families("burstable, general"))) == {["D2", "spot"]}
}

test_a_burstable_type_that_the_object_names_is_no_spot_machine if {
	expected := "cannot be a spot machine of azure: it sells its burstable machines, the B-series, on demand only"
	named := object.union(_eastus, {"instanceType": "B2"})
	_denial(_burstable({"capacity": "spot"}, named, {})) == ["POL_INSTANCE_TYPE", "spec.instanceType", concat(" ", ["spec.instanceType B2 in azure/eastus", expected])]
	_denial(_burstable({"capacity": "spot"}, {"instanceType": "B2"}, {})) == ["POL_INSTANCE_TYPE", "spec.instanceType", concat(" ", ["spec.instanceType B2", expected])]
	_bought(_burstable({"capacity": "either"}, named, {})) == {["B2", "on-demand"]}
	_denial(_burstable({}, named, _families("general")))[2] == "spec.instanceType B2 in azure/eastus is of the family burstable, which the namespace's landfall.dev/families does not allow"
}
