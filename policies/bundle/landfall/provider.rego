# METADATA
# title: Allowed providers
package landfall.provider

import data.landfall.catalog
import data.landfall.scope

# METADATA
# description: True if the rule could remove a place; the step is then shown.
default active := false

active if input.request.pin.provider != null

active if count(scope.providers) < count(catalog.typeIds)

_wanted := [name | some name in scope.providers; input.request.pin.provider in {null, name}]

# METADATA
# description: Places of the allowed providers.
remaining := all_places if not active

remaining := [id |
	some id, place in catalog.places
	place.provider in _wanted
] if active

# METADATA
# description: The ids of all places, in the order of their names.
all_places := catalog.allPlaces

# METADATA
# description: The step's label.
label := concat(" ", ["provider", input.request.pin.provider]) if input.request.pin.provider != null

label := concat(" ", ["providers", _allowed]) if input.request.pin.provider == null

# METADATA
# description: Denials for a pinned provider that does not exist or is not allowed.
denials contains denial if {
	actual := input.request.pin.provider
	actual != null
	not catalog.typeIds[actual]
	denial := {
		"code": "POL_UNKNOWN_PROVIDER",
		"message": sprintf("spec.provider %s is not a known provider", [actual]),
		"field": "spec.provider",
		"actual": actual,
		"allowed": _allowed,
	}
}

denials contains denial if {
	actual := input.request.pin.provider
	catalog.typeIds[actual]
	not actual in scope.providers
	denial := {
		"code": "POL_PROVIDER",
		"message": sprintf("provider %s is not allowed here; allowed: %s", [actual, _allowed]),
		"field": "spec.provider",
		"actual": actual,
		"allowed": _allowed,
	}
}

_allowed := concat(", ", scope.providers) if count(scope.providers) > 0

_allowed := "none" if count(scope.providers) == 0

# METADATA
# description: The reason why this rule refuses the only place that the object allows.
refusal(id) := {
	"code": "POL_PROVIDER",
	"message": sprintf("provider %s is not allowed here; allowed: %s", [catalog.places[id].provider, _allowed]),
	"field": "spec.schedulingLocation",
	"actual": catalog.places[id].key,
	"allowed": _allowed,
}
