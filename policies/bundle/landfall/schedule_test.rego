package landfall.schedule_test

import data.landfall.fixture
import data.landfall.schedule

test_the_weights_are_those_of_the_named_objective if {
	schedule.objective.price == 1 with input as fixture.asking({"optimizeFor": "cost"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_without_a_name_the_default_applies if {
	schedule.objective.carbon == 1 with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_an_unknown_name_falls_back if {
	schedule.objective.carbon == 1 with input as fixture.asking({"optimizeFor": "fame"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_horizon_is_in_seconds if {
	schedule.horizon_seconds == 86400 with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_limits_are_the_platforms if {
	schedule.limits.tolerance == 0.01 with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_written_fields_are_the_platforms if {
	schedule.write == ["provider"] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

_asking(request, namespace) := fixture.from_namespace(request, namespace, {})

_settings := fixture.with_settings({"schedule": {"waitingCostPercent": 10, "maxWait": "1d"}})

test_the_cost_of_waiting_is_the_objects_then_the_namespaces_then_the_platforms[case] if {
	some case, [request, namespace, percent] in {
		"platform": [{}, {}, 10],
		"namespace": [{}, {"landfall.dev/waiting-cost-percent": "0"}, 0],
		"object": [{"waitingCostPercent": 25}, {"landfall.dev/waiting-cost-percent": "0"}, 25],
	}
	schedule.limits.waitingCostPercent == percent with input as _asking(request, namespace)
		with data.landfall.settings as _settings
}

test_settings_without_a_cost_of_waiting_have_the_default if {
	schedule.limits.waitingCostPercent == 6 with input as fixture.asking({}, {})
		with data.landfall.settings as fixture.settings
}

test_the_shortest_limit_of_waiting_applies[case] if {
	some case, [request, namespace, seconds] in {
		"platform": [{}, {}, 86400],
		"longer in the namespace": [{}, {"landfall.dev/max-wait": "2d"}, 86400],
		"shorter in the namespace": [{}, {"landfall.dev/max-wait": "1h30m"}, 5400],
		"shortest in the object": [{"maxWaitSeconds": 60}, {"landfall.dev/max-wait": "1h"}, 60],
		"no wait": [{}, {"landfall.dev/max-wait": "0s"}, 0],
	}
	schedule.limits.maxWaitSeconds == seconds with input as _asking(request, namespace)
		with data.landfall.settings as _settings
}

test_without_a_limit_only_the_deadline_ends_waiting if {
	schedule.limits.maxWaitSeconds == null with input as fixture.asking({}, {})
		with data.landfall.settings as fixture.settings
}
