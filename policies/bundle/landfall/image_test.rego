package landfall.image_test

import data.landfall.fixture
import data.landfall.image

test_every_place_has_the_default_os if {
	fixture.keys(image.remaining) == ["aws/eu-west-1", "azure/eastus", "azure/italynorth", "elemento/ovh-fr-paris", "gcp/europe-west6"] with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_step_is_omitted_if_every_provider_has_an_image if {
	not image.active with input as fixture.asking({}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_provider_without_the_os_is_removed if {
	fixture.keys(image.remaining) == ["aws/eu-west-1", "azure/eastus", "azure/italynorth", "gcp/europe-west6"] with input as fixture.asking({"os": "debian-12"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_architecture_counts if {
	fixture.keys(image.remaining) == ["azure/eastus", "azure/italynorth"] with input as fixture.asking({"arch": "arm64"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_image_is_the_one_of_the_provider if {
	image.by_provider.gcp == "p/d" with input as fixture.asking({"os": "debian-12"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_named_image_leaves_the_providers_that_can_read_it if {
	fixture.keys(image.remaining) == ["azure/eastus", "azure/italynorth"] with input as fixture.asking({}, {"image": "a:b:c:d"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_named_image_is_used if {
	image.by_provider == {"azure": "a:b:c:d"} with input as fixture.asking({}, {"image": "a:b:c:d"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_step_names_the_os if {
	image.label == "image of debian-12 for amd64" with input as fixture.asking({"os": "debian-12"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_the_step_names_the_image if {
	image.label == "image a:b:c:d" with input as fixture.asking({}, {"image": "a:b:c:d"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_refusal_names_the_providers_with_the_os if {
	[image.refusal(3).field, image.refusal(3).allowed] == ["spec.os", "aws, azure, gcp"] with input as fixture.asking({"os": "debian-12"}, {})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_refusal_names_the_providers_that_read_the_image if {
	[image.refusal(3).field, image.refusal(3).actual, image.refusal(3).allowed] == ["spec.image", "a:b:c:d", "azure"] with input as fixture.asking({}, {"image": "a:b:c:d"})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

_ami(region) := fixture.asking({}, {"image": "ami-0123456789abcdef0", "region": region})

test_an_image_of_one_region_without_the_region_is_noted if {
	[note.code | some note in image.warnings] == ["POL_IMAGE_UNPINNED"] with input as _ami(null)
	image.warnings == [] with input as _ami("eu-west-1")
}
