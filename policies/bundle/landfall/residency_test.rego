package landfall.residency_test

import data.landfall.fixture
import data.landfall.residency

test_every_place_remains_without_required_areas if {
	fixture.keys(residency.remaining) == ["aws/eu-west-1", "azure/eastus", "azure/italynorth", "elemento/ovh-fr-paris", "gcp/europe-west6"] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_step_is_omitted_without_required_areas if {
	not residency.active with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_an_area_leaves_its_countries if {
	fixture.keys(residency.remaining) == ["aws/eu-west-1", "azure/italynorth", "elemento/ovh-fr-paris"] with input as fixture.asking({"dataResidency": ["EU"]}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_place_must_be_in_one_of_the_areas if {
	fixture.keys(residency.remaining) == ["azure/eastus", "azure/italynorth"] with input as fixture.asking({"dataResidency": ["IT", "US"]}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_areas_and_countries_mix if {
	fixture.keys(residency.remaining) == ["aws/eu-west-1", "azure/italynorth", "elemento/ovh-fr-paris", "gcp/europe-west6"] with input as fixture.asking({"dataResidency": ["EU", "CH"]}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_platforms_areas_also_apply if {
	fixture.keys(residency.remaining) == ["azure/italynorth"] with input as fixture.asking({"dataResidency": ["IT", "US"]}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"residency": ["EU"]})
		with data.landfall.images as fixture.images
}

test_a_country_without_places_leaves_no_place if {
	residency.remaining == [] with input as fixture.asking({"dataResidency": ["KE"]}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_country_without_places_is_not_denied if {
	residency.denials == set() with input as fixture.asking({"dataResidency": ["KE", "EU"]}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_an_unknown_area_is_denied if {
	{[d.code, d.actual] | some d in residency.denials} == {["POL_UNKNOWN_AREA", "XX"]} with input as fixture.asking({"dataResidency": ["EU", "XX"]}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_step_names_all_required_areas if {
	residency.label == "residency [GDPR] and residency [EU, CH]" with input as fixture.asking({"dataResidency": ["EU", "CH"]}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"residency": ["GDPR"]})
		with data.landfall.images as fixture.images
}

test_a_refusal_names_the_country if {
	residency.refusal(1).message == "azure/eastus is in US, outside residency [EU]" with input as fixture.asking({"dataResidency": ["EU"]}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}
