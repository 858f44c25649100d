package landfall.asked_test

import data.landfall.asked
import data.landfall.fixture

_with(asked, spec) := object.union(asked, {"spec": spec})

test_an_object_without_wishes_has_only_its_size if {
	found := asked.by with input as _with(fixture.asking({}, {}), {})
		with data.landfall.features as {"unsupported": {}}
	found == {"flavour": ["spec.cpu", 2]}
}

test_pins_and_wishes_of_the_object if {
	found := asked.by with input as _with(fixture.asking({}, {"provider": "gcp", "region": "europe-west6"}), {"ports": [{"port": 22}]})
		with data.landfall.features as {"unsupported": {"gcp": {"ports": "why"}}}
	found.provider == ["spec.provider", "gcp"]
	found.region == ["spec.schedulingLocation", "europe-west6"]
	found.feature == ["spec.ports", null]
}

test_a_spot_machine if {
	found := asked.by with input as _with(fixture.asking({}, {}), {"capacity": "spot"})
		with data.landfall.features as {"unsupported": {}}
	found.feature == ["spec.capacity", "spot"]
}

test_a_highly_available_cluster if {
	found := asked.by with input as fixture.cluster([fixture.node_pool({})], {"highAvailability": true}, {}, {})
		with data.landfall.features as {"unsupported": {}}
	found.cluster == ["spec.highAvailability", "true"]
	found.flavour == ["spec.nodePools", null]
}

test_a_zone_without_its_region if {
	found := asked.by with input as _with(fixture.asking({}, {"zone": "any"}), {})
		with data.landfall.features as {"unsupported": {}}
	found.region == ["spec.zone", "any"]
}

_arm := object.union(fixture.asking({}, {}), {"request": {"arch": "arm64"}, "spec": {}})

test_an_architecture_that_only_the_image_lacks if {
	found := asked.by with input as _arm
		with data.landfall.images as fixture.images
		with data.landfall.settings as fixture.settings
		with data.landfall.catalog as fixture.catalog
		with data.landfall.features as {"unsupported": {}}
	found.image == ["spec.arch", "arm64"]
}

test_an_architecture_of_which_no_type_remains if {
	found := asked.by with input as _arm
		with data.landfall.features as {"unsupported": {}}
		with data.landfall.additions.remaining as [0]
		with data.landfall.catalog as fixture.catalog
	found.flavour == ["spec.arch", "arm64"]
}

test_the_class_of_a_disk if {
	unsupported := {"elemento": {"diskType": "why"}}
	system := asked.by with input as _with(fixture.asking({}, {}), {"osDisk": {"type": "premium"}})
		with data.landfall.features as {"unsupported": unsupported}
	system.feature == ["spec.osDisk.type", "premium"]
	data_disk := asked.by with input as _with(fixture.asking({}, {}), {"disks": [{"name": "a"}, {"name": "b", "type": "premium"}]})
		with data.landfall.features as {"unsupported": unsupported}
	data_disk.feature == ["spec.disks[1].type", "premium"]
}
