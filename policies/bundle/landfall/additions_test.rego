package landfall.additions_test

import data.landfall.additions
import data.landfall.fixture
import data.landfall.main

_gpu := {"hours": {"denials": {{"code": "TEAM_HOURS", "message": "not now"}}, "warnings": [{"code": "TEAM_NOTE", "message": "soon"}]}}

_sanctions := {"export": {"refused": {"azure/eastus": "no licence", "elemento/mars": "unknown"}}}

test_without_rules_nothing_is_added if {
	additions.denials == set() with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
	additions.warnings == [] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
	not additions.active with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
}

test_a_rule_denies_and_warns if {
	result := main.result with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.custom as _gpu
	result.denials == [{"code": "TEAM_HOURS", "message": "not now", "field": null, "actual": null, "allowed": null}]
	{"code": "TEAM_NOTE", "message": "soon"} in result.warnings
}

test_an_entry_of_the_wrong_shape_denies if {
	found := [[entry.code, entry.message] | some entry in additions.denials] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.custom as {"odd": {"denials": ["not today", {"message": "no code"}, {"code": "X"}, {"code": 7, "message": 8}, true]}}
	{pair | some pair in found} == {
		["POL_CUSTOM", "not today"],
		["POL_CUSTOM", "no code"],
		["X", "rule odd of the platform team"],
		["POL_CUSTOM", "rule odd of the platform team"],
	}
}

test_a_rule_refuses_places if {
	result := main.result with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.custom as _sanctions
	result.denials == []
	result.rejected.custom == ["azure/eastus"]
	not "azure/eastus" in [candidate.place | some candidate in result.candidates]
	"export: 4 of 5 regions remain" in [step.text | some step in result.funnel]
}

test_the_pinned_place_is_refused_with_the_reason if {
	result := main.result with input as fixture.asking({}, {"provider": "azure", "region": "eastus"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.custom as _sanctions
	[denial] := result.denials
	denial.code == "POL_PLACE_REFUSED"
	denial.message == "azure/eastus: no licence (export)"
}
