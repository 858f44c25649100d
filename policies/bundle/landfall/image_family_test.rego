package landfall.image_family_test

import data.landfall.fixture
import data.landfall.image

_images := object.union(fixture.images, {
	"notations": {"gcp": "^(https://www\\.googleapis\\.com/compute/|projects/)?[a-z][-a-z0-9./]*/[-a-z0-9]+$"},
	"public": ["projects/ubuntu-os-cloud", "projects/debian-cloud"],
	"unrecognised": ["^ubuntu-os-cloud/ubuntu-[0-9]+-lts-amd64$"],
})

_messages(id) := [warning.message |
	asking := object.union(fixture.asking({}, {}), {"request": {"pin": {"image": id}}})
	some warning in image.warnings with input as asking
		with data.landfall.images as _images
		with data.landfall.settings as fixture.settings
]

test_a_public_family_that_is_not_recognised_is_named_in_each_form[id] if {
	some id in [
		"ubuntu-os-cloud/ubuntu-2404-lts-amd64",
		"projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64",
		"https://www.googleapis.com/compute/v1/projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64",
	]
	messages := _messages(id)
	count(messages) == 1
	contains(messages[0], "name the image itself")
}

test_a_family_of_another_project_may_be_unrecognised[id] if {
	some id in ["golden/web", "projects/golden/global/images/family/web", "family/web"]
	messages := _messages(id)
	count(messages) == 1
	contains(messages[0], "if that is a family")
}

test_images_and_recognised_families_get_no_warning[id] if {
	some id in [
		"ubuntu-os-cloud/ubuntu-2404-noble-amd64-v20260906",
		"debian-cloud/debian-12",
		"projects/golden/global/images/web-20260906",
		"p/u",
		"C:u:s:l",
	]
	count(_messages(id)) == 0
}

test_no_image_no_warning if {
	count(image.warnings) == 0 with input as fixture.asking({}, {})
		with data.landfall.images as _images
		with data.landfall.settings as fixture.settings
}

_generation(id, type) := [warning.code |
	asking := object.union(fixture.asking({}, {}), {"request": {"pin": {"image": id, "instanceType": type}}})
	some warning in image.warnings with input as asking
		with data.landfall.images as object.union(fixture.images, {"firstGeneration": ["^debian:debian-12:12$"]})
		with data.landfall.settings as fixture.settings
	warning.code == "POL_IMAGE_GENERATION"
]

test_an_image_of_generation_1_that_new_sizes_do_not_boot if {
	_generation("Debian:debian-12:12:latest", null) == ["POL_IMAGE_GENERATION"]
	_generation("Debian:debian-12:12:latest", "Standard_D2as_v6") == ["POL_IMAGE_GENERATION"]
	_generation("Debian:debian-12:12:latest", "Standard_D2as_v5") == []
	_generation("Debian:debian-12:12-gen2:latest", null) == []
	_generation("debian-cloud/debian-12", null) == []
}
