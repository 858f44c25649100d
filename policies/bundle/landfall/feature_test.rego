package landfall.feature_test

import data.landfall.feature
import data.landfall.fixture

_all := ["aws/eu-west-1", "azure/eastus", "azure/italynorth", "elemento/ovh-fr-paris", "gcp/europe-west6"]

_ask(spec) := object.union(fixture.asking({}, {}), {"spec": spec})

_remaining(spec) := kept if {
	kept := fixture.keys(feature.remaining) with input as _ask(spec)
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_plain_machine_runs_anywhere if _remaining({}) == _all

test_empty_requests_remove_nothing if _remaining({"ports": [], "disks": [{"name": "a", "deletionPolicy": "delete"}], "network": {"publicIP": false}}) == _all

test_requested_features[case] if {
	some case, [spec, provider] in {
		"ports": [{"ports": [{"port": 22}]}, "elemento/ovh-fr-paris"],
		"public address": [{"network": {"publicIP": true}}, "elemento/ovh-fr-paris"],
		"type of the boot disk": [{"osDisk": {"type": "premium"}}, "elemento/ovh-fr-paris"],
		"type of a data disk": [{"disks": [{"name": "a", "type": "premium"}]}, "elemento/ovh-fr-paris"],
		"a data disk that stays": [{"disks": [{"name": "a", "deletionPolicy": "retain"}]}, "elemento/ovh-fr-paris"],
		"security groups": [{"network": {"existing": {"subnet": "s", "network": "n", "securityGroups": ["g"]}}}, "gcp/europe-west6"],
		"public address in an existing network": [{"network": {"publicIP": true, "existing": {"subnet": "s", "network": "n"}}}, "aws/eu-west-1"],
		"ports without the network": [{"ports": [{"port": 1}], "network": {"existing": {"subnet": "s"}}}, "aws/eu-west-1"],
		"an existing network without its subnet": [{"network": {"existing": {"network": "n"}}}, "azure/eastus"],
		"an existing network without its uid": [{"network": {"existing": {"subnet": "s"}}}, "elemento/ovh-fr-paris"],
		"tags that are no labels": [{"tags": {"team": "b-"}}, "gcp/europe-west6"],
	}
	not provider in _remaining(spec)
}

_ports_in(network, annotations) := wanted if {
	asked := _ask({"ports": [{"port": 22}], "network": {"existing": {"network": network, "subnet": "s"}}})
	wanted := "portsOfOtherProject" in feature.wanted with input as object.union(asked, {"namespace": {"annotations": annotations}})
}

test_google_opens_no_ports_in_the_network_of_another_project if {
	own := {"cnrm.cloud.google.com/project-id": "Mine"}
	_ports_in("projects/host/global/networks/n", own)
	_ports_in("https://www.googleapis.com/compute/v1/projects/host/global/networks/n", own)
	not _ports_in("projects/mine/global/networks/n", own)
	not _ports_in("https://www.googleapis.com/compute/v1/projects/mine/global/networks/n", own)
	not _ports_in("n", own)
	not _ports_in("projects/host/global/networks/n", {})
}

_only_azure_is_missing(spec) if {
	{split(place, "/")[0] | some place in _remaining(spec)} == {"aws", "gcp", "elemento"}
}

_short := concat("", ["ssh-rsa ", concat("", [concat("", ["A" | some _ in numbers.range(1, 208)]), " me@host"])])

_long := concat("", ["ssh-rsa ", concat("", ["A" | some _ in numbers.range(1, 372)])])

test_images_of_azure_have_30_gb if {
	_only_azure_is_missing({"osDisk": {"sizeGiB": 29}})
	_remaining({"osDisk": {"sizeGiB": 30}}) == _all
}

_by_default(size) := {split(place, "/")[0] | some place in places} if {
	places := fixture.keys(feature.remaining) with input as _ask({})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as object.union(fixture.settings, {"osDisk": {"sizeGiB": size, "type": null}})
		with data.landfall.images as fixture.images
}

test_a_default_that_is_too_small_for_azure if {
	_by_default(29) == {"aws", "gcp", "elemento"}
	_by_default(30) == {"aws", "azure", "gcp", "elemento"}
}

test_the_owner_of_an_image_knows_its_size if {
	wanted := feature.wanted with input as _ask({"osDisk": {"sizeGiB": 10}, "image": "a"})
		with data.landfall.settings as fixture.settings
	not "smallOsDisk" in wanted
}

test_keys_that_azure_takes if {
	_only_azure_is_missing({"sshPublicKey": "ecdsa-sha2-nistp256 AAAA"})
	_only_azure_is_missing({"sshPublicKey": _short})
	every key in [_long, "ssh-ed25519 AAAA"] {
		_remaining({"sshPublicKey": key}) == _all
	}
}

_user_data(os, image) := {split(key, "/")[0] | some key in places} if {
	pin := object.union(fixture.asking({}, {}).request.pin, {"image": image})
	asked := object.union(_ask({"userData": "#!/bin/sh"}), {"request": object.union(fixture.asking({"os": os}, {}).request, {"pin": pin})})
	images := {
		"by_provider": {"aws": {"debian-12": {"amd64": "ami-d"}, "ubuntu-24.04": {"amd64": "ami-u"}}, "gcp": {"debian-12": {"amd64": "debian-cloud/debian-12"}, "ubuntu-24.04": {"amd64": "ubuntu-os-cloud/u"}}},
		"notations": {"gcp": "/"},
		"withoutCloudInit": ["(^|/)debian-cloud/"],
	}
	places := fixture.keys(feature.remaining) with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as images
		with data.landfall.features as {"unsupported": {"gcp": {"userData": "no cloud-init"}}}
}

test_user_data_goes_where_it_runs if {
	_user_data("debian-12", null) == {"aws", "azure", "elemento"}
	_user_data("ubuntu-24.04", null) == {"aws", "azure", "elemento", "gcp"}
	_user_data(null, "projects/debian-cloud/global/images/family/debian-12") == set()
	_user_data(null, "ubuntu-os-cloud/u") == {"gcp"}
}

test_a_pinned_zone_counts if {
	asked := object.union(fixture.asking({}, {}), {"request": object.union(fixture.asking({}, {}).request, {"pin": object.union(fixture.asking({}, {}).request.pin, {"zone": "a"})})})
	not "elemento/ovh-fr-paris" in fixture.keys(feature.remaining) with input as asked
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_refusal_gives_the_reason_and_the_capable_providers if {
	refusal := feature.refusal(3) with input as _ask({"ports": [{"port": 22}]})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	refusal.code == "POL_FEATURE"
	refusal.allowed == "aws, azure, gcp"
	contains(refusal.message, "no firewall")
}

test_the_step_names_the_requested_features if {
	feature.label == "providers with ports" with input as _ask({"ports": [{"port": 22}]})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
}

test_a_machine_to_be_stopped_goes_where_it_can_be if {
	catalog := object.union(fixture.catalog, {"impossible": {"azure": {"VmTemplate": {"stop": "no power state"}}}})
	kept := fixture.keys(feature.remaining) with input as _ask({"whenDone": "stop"})
		with data.landfall.catalog as catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	kept == ["aws/eu-west-1", "elemento/ovh-fr-paris", "gcp/europe-west6"]
	feature.label == "providers with stop" with input as _ask({"whenDone": "stop"})
		with data.landfall.catalog as catalog
		with data.landfall.settings as fixture.settings
}

test_a_disk_that_stays_in_pauses_goes_where_it_is_attached_again if {
	catalog := object.union(fixture.catalog, {"impossible": {"aws": {"VmTemplate": {"reattach": "no resource for a volume"}}}})
	asked := _ask({"interruptible": {"by": "recreate"}, "disks": [{"name": "data", "deletionPolicy": "retain"}]})
	kept := fixture.keys(feature.remaining) with input as asked
		with data.landfall.catalog as catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	not "aws/eu-west-1" in kept
	contains(feature.label, "recreate") with input as asked
		with data.landfall.catalog as catalog
		with data.landfall.settings as fixture.settings
}

test_many_disks_are_for_machines_with_many_vcpus if {
	_has_azure(2, null, 4)
	not _has_azure(2, null, 5)
	_has_azure(3, null, 6)
	not _has_azure(1, null, 3)
	_has_azure(1, "D2", 4)
	not _has_azure(1, "D2", 5)
	not _has_azure(1, "unknown", 3)
}

_has_azure(cpu, type, disks) if {
	spec := {"disks": [{"name": sprintf("d%d", [index])} | some index in numbers.range(1, disks)]}
	places := fixture.keys(feature.remaining) with input as object.union(fixture.asking({"cpu": cpu}, {"instanceType": type}), {"spec": spec})
		with data.landfall.catalog as fixture.catalog
		with data.landfall.settings as fixture.settings
		with data.landfall.images as fixture.images
	some place in places
	startswith(place, "azure/")
}

test_tags_that_azure_keeps_for_itself if {
	_remaining({"tags": {"team": "azure"}}) == _all
	every key in ["azure", "microsoft-team", "windows_1"] {
		{split(place, "/")[0] | some place in _remaining({"tags": {key: "a"}})} == {"aws", "gcp", "elemento"}
	}
}
