package landfall.licence_test

import data.landfall.fixture
import data.landfall.licence

_images := object.union(fixture.images, {"unlicensed": [
	"publishers/canonical/ubuntu-24_04-lts/server",
	"parameters/aws/service/canonical/ubuntu/server",
	"projects/debian-cloud",
]})

_denials(image, changes, allowed) := found if {
	asking := object.union(fixture.asking(changes, {"image": image}), {"namespace": {
		"name": "team",
		"labels": {},
		"annotations": {"cnrm.cloud.google.com/project-id": "mine"},
	}})
	found := licence.denials with input as asking
		with data.landfall.images as _images
		with data.landfall.settings as fixture.with_settings({"images": {"allowed": allowed}})
}

_with_limit := {"maxPricePerHour": 1}

_licensed := [
	"MicrosoftSQLServer:sql2019-ws2019:enterprise:latest",
	"Canonical:ubuntu-24_04-lts:ubuntu-pro:latest",
	"Canonical:ubuntu-24_04-lts:server-2:latest",
	"ami-0123456789abcdef0",
	"resolve:ssm:/aws/service/marketplace/prod-1/1",
	"resolve:ssm:/aws/service/canonical/ubuntu/server/../pro-server",
	"resolve:ssm://aws/service/canonical/ubuntu/server",
	"windows-sql-cloud/sql-ent-2022-win-2022",
	"projects/rhel-cloud/global/images/family/rhel-9",
	"/subscriptions/1/resourceGroups/g/providers/Microsoft.Compute/images/i",
]

test_an_image_that_may_have_a_licence_is_denied_where_a_price_is_limited[image] if {
	some image in _licensed
	[denial] := [found | some found in _denials(image, _with_limit, {})]
	[denial.code, denial.field, denial.actual] == ["POL_IMAGE_LICENCE", "spec.image", image]
	contains(denial.message, "spec.maxPrice counts the machine alone")
}

test_it_is_allowed_without_a_limit if {
	every image in _licensed { _denials(image, {}, {}) == set() }
}

test_images_that_cost_nothing_more_are_allowed[image] if {
	some image in [
		"Canonical:ubuntu-24_04-lts:server:latest",
		"C:u:s:l",
		"resolve:ssm:/aws/service/canonical/ubuntu/server/24.04/stable/current/amd64/hvm/ebs-gp3/ami-id:3",
		"https://www.googleapis.com/compute/v1/projects/debian-cloud/global/images/debian-12",
		"mine/web",
		"global/images/web",
		"ubuntu-24-04",
	]
	_denials(image, _with_limit, {}) == set()
}

test_settings_allow_a_publisher_a_parameter_or_an_ami if {
	_denials("MicrosoftSQLServer:a:b:c", _with_limit, {"team": ["publishers/MicrosoftSQLServer"]}) == set()
	_denials("resolve:ssm:golden", _with_limit, {"*": ["parameters/golden"]}) == set()
	_denials("ami-0123456789abcdef0", _with_limit, {"team": ["amis"]}) == set()
	count(_denials("ami-0123456789abcdef0", _with_limit, {"other": ["amis"]})) == 1
}

test_a_quota_of_prices_limits_them_too if {
	found := licence.denials with input as fixture.asking({}, {"image": "RedHat:RHEL:9:latest"})
		with data.landfall.images as _images
		with data.landfall.settings as fixture.with_settings({"quotas": {"default": {"pricePerMonth": 500}, "namespaces": {}}})
	[denial] := [one | some one in found]
	contains(denial.message, "the limit of 500 USD per month of namespace team")
	contains(denial.message, "no prefix of publishers/redhat/rhel/9/latest")
}
