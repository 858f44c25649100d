package landfall.image_foreign_test

import data.landfall.fixture
import data.landfall.image

_images := object.union(fixture.images, {"public": ["projects/debian-cloud"]})

_namespace(annotations) := {"name": "team", "labels": {}, "annotations": annotations}

_denied(id, annotations, allowed) if {
	asking := object.union(fixture.asking({}, {}), {
		"request": {"pin": {"image": id}},
		"namespace": _namespace(annotations),
	})
	{[d.code, d.field] | some d in image.denials} == {["POL_IMAGE_FOREIGN", "spec.image"]} with input as asking
		with data.landfall.images as _images
		with data.landfall.settings as fixture.with_settings({"images": {"allowed": allowed}})
}

_gallery := "/subscriptions/1/resourceGroups/prod/providers/Microsoft.Compute/images/backup"

test_an_image_of_another_owner_is_denied[id] if {
	some id in [
		_gallery,
		"other-team/backup",
		"projects/other-team/global/images/backup",
		"https://www.googleapis.com/compute/v1/projects/other-team/global/images/backup",
		"projects/debian-cloud/../other-team/global/images/backup",
		"projects/debian-cloud-2/global/images/backup",
		"global/../../other-team/global/images/backup",
		"global/images/%2e%2e/backup",
		"global//other-team/images/backup",
		"family%2f..%2fbackup",
	]
	_denied(id, {}, {})
}

test_images_without_an_owner_of_the_platform_and_public_ones_are_allowed[id] if {
	some id in ["ami-1", "resolve:ssm:/golden/ami", "C:u:s:l", "ubuntu-24-04", "global/images/mine", "p/u", "debian-cloud/debian-13", "projects/debian-cloud/global/images/debian-13"]
	not _denied(id, {}, {})
}

test_settings_allow_a_prefix_for_a_namespace if {
	not _denied(_gallery, {}, {"team": ["/subscriptions/1/resourcegroups/prod"]})
	not _denied("golden/web", {}, {"*": ["projects/golden"]})
	_denied(_gallery, {}, {"other": ["/subscriptions/1"]})
}

test_the_project_of_the_namespace_is_its_own if {
	own := {"cnrm.cloud.google.com/project-id": "mine"}
	not _denied("mine/web", own, {})
	not _denied("projects/mine/global/images/web", own, {})
	_denied("mine-2/web", own, {})
}

_form_codes(id) := {[d.code, d.field] |
	asking := object.union(fixture.asking({}, {"image": id}), {"namespace": _namespace({})})
	some d in image.denials with input as asking
		with data.landfall.images as object.union(_images, {"notations": {"gcp": "^[a-z][-a-z0-9./:]*/[-a-z0-9]+$"}})
		with data.landfall.settings as fixture.settings
	d.code == "POL_GOOGLE_NAME"
}

test_an_image_of_google_with_two_projects_is_denied[id] if {
	some id in [
		"projects/x",
		"global/x",
		"debian-cloud/a/b",
		"projects/debian-cloud/x",
		"projects/debian-cloud/projects/other-team/global/images/backup",
		"global/images/projects/other-team/global/images/backup",
		"debian-cloud/projects/other-team/global/images/family/backup",
		"https://www.googleapis.com/compute/beta/projects/debian-cloud/global/images/x",
		"https://www.googleapis.com/compute/v1/projects/debian-cloud/global/images/x/projects/other/global/images/y",
	]
	_form_codes(id) == {["POL_GOOGLE_NAME", "spec.image"]}
}

test_one_form_is_enough[id] if {
	some id in [
		"debian-cloud/debian-12",
		"example.com:web/debian-12",
		"family/web",
		"global/images/web",
		"global/images/family/web",
		"projects/123/global/images/web",
		"https://www.googleapis.com/compute/v1/projects/debian-cloud/global/images/family/debian-12",
		"p/u",
	]
	_form_codes(id) == set()
}
