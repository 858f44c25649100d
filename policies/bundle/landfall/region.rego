# METADATA
# title: Allowed places
# description: Pins of region and zone, the platform's lists of places, and existing networks.
package landfall.region

import data.landfall.catalog
import data.landfall.exemption
import data.landfall.prices
import data.landfall.provider
import data.landfall.scope
import data.landfall.settings

_pinned if input.request.pin.region != null

_pinned if input.request.pin.zone != null

# Both lists can be missing.
_allowed := object.get(settings.places, "allowed", [])

_denied := object.get(settings.places, "denied", [])

_listed if {
	count(_allowed) > 0
	not exemption.waived.POL_REGION
}

_listed if {
	count(_denied) > 0
	not exemption.waived.POL_REGION
}

_listed if scope.regions

_listed if count(_contracted) > 0

# METADATA
# description: True if the rule could remove a place; the step is then shown.
default active := false

active if _pinned

active if _listed

# METADATA
# description: Places that match the pins and lists.
remaining := provider.remaining if not active

remaining := [id |
	some id in _pinned_places
	_is_listed(catalog.places[id].key)
] if active

# If the pins alone leave one place, the denial names the rule that refuses it.
_pinned_places := provider.remaining if not _pinned

_pinned_places := [id |
	some id in provider.remaining
	place := catalog.places[id]
	input.request.pin.region in {null, place.region}
	_has_zone(place)
] if _pinned

_is_listed(key) if {
	_platform_allows(key)
	_namespace_allows(key)
	not _uncontracted(key)
}

default _contracted := []

_contracted := settings.elemento.contracted

# Elemento's zone is the first word of its region: ovh of ovh-fr-paris. An exemption cannot replace a contract.
_uncontracted(key) if {
	count(_contracted) > 0
	startswith(key, "elemento/")
	not _elemento_zone(key) in _contracted
}

_elemento_zone(key) := split(trim_prefix(key, "elemento/"), "-")[0]

_platform_allows(_) if exemption.waived.POL_REGION

_platform_allows(key) if {
	_allowed == []
	not key in _denied
}

_platform_allows(key) if {
	key in _allowed
	not key in _denied
}

_namespace_allows(_) if not scope.regions

_namespace_allows(key) if key in scope.regions

_has_zone(_) if input.request.pin.zone == null

_has_zone(place) if zone_of(place, input.request.pin.zone)

# METADATA
# description: True if the place has a zone of this name.
zone_of(place, zone) if {
	_knows_zones(place)
	zone in place.zones
}

zone_of(place, zone) if {
	not _knows_zones(place)
	place.provider == "azure"
	zone in {"1", "2", "3"}
}

zone_of(place, zone) if {
	not _knows_zones(place)
	place.provider == "aws"
	startswith(zone, place.region)
	trim_prefix(zone, place.region) in {"a", "b", "c", "d", "e", "f"}
}

zone_of(place, zone) if {
	not _knows_zones(place)
	place.provider == "gcp"
	startswith(zone, place.region)
	trim_prefix(zone, place.region) in {"-a", "-b", "-c", "-d", "-f"}
}

# METADATA
# description: The zones of a place that have a type; undefined if all of them have it.
zones_of_type(place, id) := found if {
	# Few providers have rules: the others end here.
	rules := catalog.typeZonesOf[catalog.places[place].provider]
	rule := rules[catalog.types[id][0]]
	found := catalog.typeZones[rule][place]
	found != null
}

# METADATA
# description: True if it is the type that a machine has which is there - what runs is not questioned.
is_there(id) if catalog.types[id][0] == input.request.installedType

# METADATA
# description: True if a new machine of the type can be in the place.
offers_type(place, id) if {
	in_some_zone(place, id)
	prices.is_offered(id, place)
}

# METADATA
# description: True if at least one zone of the place has the type. Price lists, and data images made of them, have prices of types that none has.
in_some_zone(place, id) if not _in_no_zone(place, id)

_in_no_zone(place, id) if count(zones_of_type(place, id)) == 0

# METADATA
# description: True if a zone of the place has the type. Another type than a machine has that is there is one for a new machine.
has_type(_, id, _) if is_there(id)

has_type(place, id, _) if not zones_of_type(place, id)

has_type(place, id, zone) if zone in zones_of_type(place, id)

# METADATA
# description: The zone of a machine of this type in the place - the usual one, or the first that has the type.
zone_for(place, id) := catalog.places[place].zone if {
	has_type(place, id, catalog.places[place].zone)
} else := zones_of_type(place, id)[0]

# The catalog decides what is created. What runs in a zone that it does not know is not denied.
_knows_zones(place) if {
	input.operation == "CREATE"
	place.zones
}

# METADATA
# description: The only place that the object's pins allow.
only := _pinned_places[0] if {
	input.request.pin.region != null
	count(_pinned_places) == 1
}

# METADATA
# description: The step's label.
label := concat(" ", [part | some part in [_region_text, _zone_text, _list_text]; part != ""])

default _region_text := ""

_region_text := concat(" ", ["region", input.request.pin.region]) if input.request.pin.region != null

default _zone_text := ""

_zone_text := concat(" ", ["zone", input.request.pin.zone]) if input.request.pin.zone != null

default _list_text := ""

_list_text := "places that platform and namespace allow" if _listed

# METADATA
# description: Denial for a region that does not exist.
denials contains denial if {
	input.request.pin.region != null
	not _exists
	_is_provider
	denial := {
		"code": "POL_UNKNOWN_REGION",
		"message": sprintf("spec.schedulingLocation %s is %s", [input.request.pin.region, _unknown]),
		"field": "spec.schedulingLocation",
		"actual": input.request.pin.region,
		"allowed": _providers,
	}
}

_exists if {
	some name in _candidate_providers
	catalog.placeIds[_key(name)]
}

_key(name) := concat("/", [name, input.request.pin.region])

# An unknown provider has its own denial.
_is_provider if input.request.pin.provider == null

_is_provider if catalog.typeIds[input.request.pin.provider]

# The regions whose zone it is.
_holders := [place.region |
	some place in catalog.places
	place.provider in _candidate_providers
	zone_of(place, input.request.pin.region)
]

_unknown := sprintf("a zone of %s, and not a region", [_holders[0]]) if {
	count(_holders) > 0
} else := sprintf("not a region of %s%s", [_providers, _near])

# Regions with the same beginning, for typing mistakes.
_near := "" if count(_alike) == 0

_near := sprintf("; similar: %s", [concat(", ", array.slice(_alike, 0, 5))]) if count(_alike) > 0

_alike := [place.region |
	some place in catalog.places
	place.provider in _candidate_providers
	startswith(place.region, substring(input.request.pin.region, 0, 5))
]

_candidate_providers := [input.request.pin.provider] if input.request.pin.provider != null

_candidate_providers := sort(object.keys(catalog.typeIds)) if input.request.pin.provider == null

_providers := concat(", ", _candidate_providers)

denials contains denial if {
	input.request.pin.zone != null
	_exists
	count(_zone_places) == 0
	denial := {
		"code": "POL_ZONE",
		"message": sprintf("spec.zone %s is not a zone of %s, which has %s", [input.request.pin.zone, input.request.pin.region, _zones_there]),
		"field": "spec.zone",
		"actual": input.request.pin.zone,
		"allowed": _zones_allowed,
	}
}

_zones_there := concat("; ", [_zones_text(catalog.places[catalog.placeIds[_key(name)]]) | some name in _candidate_providers])

_zones_allowed := _zones_there if {
	_zones_there != "no zones"
} else := "another region"

_zones_text(place) := concat(", ", place.zones) if {
	count(place.zones) > 0
} else := "no zones"

_zone_places := [place |
	some name in _candidate_providers
	place := catalog.places[catalog.placeIds[_key(name)]]
	zone_of(place, input.request.pin.zone)
]

# METADATA
# description: An existing network is in one region of one provider; the object must set both.
denials contains denial if {
	input.request.existingNetwork
	count(_unpinned) > 0
	denial := {
		"code": "POL_NETWORK_UNPINNED",
		"message": sprintf("spec.network.existing is set, but %s: a network belongs to one region", [_not_set]),
		"field": _unpinned[0],
		"actual": null,
		"allowed": null,
	}
}

# The fields of the place that the object does not set.
_unpinned := sort([name |
	some name, value in {"spec.provider": input.request.pin.provider, "spec.schedulingLocation": input.request.pin.region}
	value == null
])

_not_set := sprintf("%s is not", [_unpinned[0]]) if {
	count(_unpinned) == 1
} else := sprintf("%s are not", [concat(" and ", _unpinned)])

# METADATA
# description: A region that exists only at providers that are not allowed.
denials contains denial if {
	_exists
	input.request.pin.provider == null
	count([id | some id in provider.remaining; catalog.places[id].region == input.request.pin.region]) == 0
	denial := provider.refusal([id |
		some name in _candidate_providers
		id := catalog.placeIds[_key(name)]
	][0])
}

# METADATA
# description: The reason why this rule refuses the only place that the object allows.
refusal(id) := {
	"code": "POL_REGION",
	"message": sprintf("%s is not a place that the platform allows", [catalog.places[id].key]),
	"field": "spec.schedulingLocation",
	"actual": catalog.places[id].key,
	"allowed": concat(", ", _allowed),
} if {
	not _uncontracted(catalog.places[id].key)
}

refusal(id) := {
	"code": "POL_ELEMENTO_ZONE",
	"message": sprintf("%s is in Elemento's zone %s, which has no contract; zones with a contract: %s", [key, _elemento_zone(key), concat(", ", _contracted)]),
	"field": "spec.schedulingLocation",
	"actual": key,
	"allowed": concat(", ", _contracted),
} if {
	key := catalog.places[id].key
	_uncontracted(key)
}
