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
