package landfall.provider_test

import data.landfall.fixture
import data.landfall.provider

test_every_place_remains_without_a_request if {
	fixture.keys(provider.remaining) == ["aws/eu-west-1", "azure/eastus", "azure/italynorth", "elemento/ovh-fr-paris", "gcp/europe-west6"] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_step_is_omitted_without_a_request if {
	not provider.active with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_pinned_provider_leaves_its_own_places if {
	fixture.keys(provider.remaining) == ["azure/eastus", "azure/italynorth"] with input as fixture.asking({}, {"provider": "azure"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_step_names_the_provider if {
	provider.label == "provider azure" with input as fixture.asking({}, {"provider": "azure"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_step_names_the_allowed_providers if {
	provider.label == "providers aws, gcp" with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"providers": ["aws", "gcp"]})
		with data.landfall.images as fixture.images
}

test_the_platform_limits_providers if {
	fixture.keys(provider.remaining) == ["gcp/europe-west6"] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"providers": ["gcp"]})
		with data.landfall.images as fixture.images
}

test_an_allowed_pinned_provider_is_not_denied if {
	provider.denials == set() with input as fixture.asking({}, {"provider": "gcp"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"providers": ["gcp"]})
		with data.landfall.images as fixture.images
}

test_a_pinned_provider_that_is_not_allowed_is_denied if {
	{d.code | some d in provider.denials} == {"POL_PROVIDER"} with input as fixture.asking({}, {"provider": "aws"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"providers": ["gcp"]})
		with data.landfall.images as fixture.images
}

test_an_unknown_provider_is_denied if {
	{d.code | some d in provider.denials} == {"POL_UNKNOWN_PROVIDER"} with input as fixture.asking({}, {"provider": "hetzner"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_refusal_names_the_allowed_providers if {
	provider.refusal(0).allowed == "gcp" with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"providers": ["gcp"]})
		with data.landfall.images as fixture.images
}

test_the_refusal_reports_that_no_provider_is_allowed if {
	messages := {d.message | some d in provider.denials} with input as fixture.asking({}, {"provider": "gcp"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.with_settings({"providers": []})
		with data.landfall.images as fixture.images
	messages == {"provider gcp is not allowed here; allowed: none"}
}
