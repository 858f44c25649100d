# METADATA
# title: Data residency
# description: A place must satisfy the areas of the platform, the namespace and the object.
package landfall.residency

import data.landfall.catalog
import data.landfall.provider
import data.landfall.region
import data.landfall.scope

# METADATA
# description: True if the rule could remove a place; the step is then shown.
default active := false

active if count(scope.residency_floors) > 0

# METADATA
# description: Places whose country is in an area of every floor.
remaining := region.remaining if not active

remaining := _one_area if active

remaining := [id |
	places := catalog.places
	countries := _allowed_countries
	some id in region.remaining
	countries[places[id].country]
] if {
	active
	not _one_area
}

# The usual case, precomputed in the bundle: one area, and no earlier rule removed a place.
_one_area := catalog.residency.places[area] if {
	[floor] := scope.residency_floors
	[area] := floor.areas
	not region.active
	not provider.active
}

# Each country of the catalog is checked once, not each place.
_allowed_countries[country] if {
	some country, _ in _countries_of(scope.residency_floors[0].areas)
	every floor in scope.residency_floors {
		_lies_in(country, floor.areas)
	}
}

_countries_of(areas) := {country |
	some area in areas
	some country, _ in catalog.residency.areas[area]
} | {area | some area in areas; catalog.residency.countries[area]}

_lies_in(country, areas) if country in areas

_lies_in(country, areas) if {
	some area in areas
	catalog.residency.areas[area][country]
}

# METADATA
# description: The step's label.
label := concat(" and ", [text |
	some floor in scope.residency_floors
	text := concat("", ["residency [", concat(", ", floor.areas), "]"])
])

denials contains denial if {
	some floor in scope.residency_floors
	some area in floor.areas
	not catalog.residency.areas[area]
	not catalog.residency.countries[area]
	denial := {
		"code": "POL_UNKNOWN_AREA",
		"message": sprintf("%s names %s, which is not a known area or country", [floor.field, area]),
		"field": floor.field,
		"actual": area,
		"allowed": sprintf("%s or an ISO 3166 country code", [concat(", ", sort(object.keys(catalog.residency.areas)))]),
	}
}

# METADATA
# description: The reason why this rule refuses the only place that the object allows.
refusal(id) := {
	"code": "POL_RESIDENCY",
	"message": sprintf("%s is in %s, outside %s", [catalog.places[id].key, catalog.places[id].country, label]),
	"field": "spec.schedulingLocation",
	"actual": catalog.places[id].country,
	"allowed": label,
}
