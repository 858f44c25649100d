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
