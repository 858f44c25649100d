# METADATA
# title: Custom rules of the platform team
# description: |
#   Every package below landfall.custom adds to the decision, without a line changed elsewhere (docs/guides/policy-authors.md):
#   `denials` {code, message, field, actual, allowed}, where only the message is required, or just the message;
#   `warnings` {code, message}, likewise; and `refused`, places as `provider/region` with the reason. An entry of the wrong
#   shape denies too: it must never let an object pass.
package landfall.additions

import data.landfall.catalog
import data.landfall.feature

_whole(name, entry) := object.union(
	{"code": "POL_CUSTOM", "message": _unsaid(name), "field": null, "actual": null, "allowed": null},
	object.union(entry, _mended(name, entry)),
) if {
	is_object(entry)
}

_whole(_, entry) := {"code": "POL_CUSTOM", "message": entry, "field": null, "actual": null, "allowed": null} if is_string(entry)

_whole(name, entry) := {"code": "POL_CUSTOM", "message": _unsaid(name), "field": null, "actual": null, "allowed": null} if {
	not is_object(entry)
	not is_string(entry)
}

_unsaid(name) := concat(" ", ["rule", name, "of the platform team"])

# Parts that exist but are not texts.
_mended(name, entry) := {part: text |
	some part, text in {"code": "POL_CUSTOM", "message": _unsaid(name)}
	not is_string(object.get(entry, part, ""))
}

# METADATA
# description: Denials of the rules that do not depend on the place.
denials contains _whole(name, denial) if {
	some name
	some denial in data.landfall.custom[name].denials
}

# METADATA
# description: Warnings of the rules.
warnings := [{"code": whole.code, "message": whole.message} |
	some name
	some warning in data.landfall.custom[name].warnings
	whole := _whole(name, warning)
]

# id of a place -> why it is refused, and by which package
_refused[catalog.placeIds[place]] := sprintf("%s (%s)", [reasons[0][1], reasons[0][0]]) if {
	some place, _ in _reasons
	reasons := sort(_reasons[place])
}

_reasons[place] contains [name, reason] if {
	some name
	some place, reason in data.landfall.custom[name].refused
}

default active := false

# METADATA
# description: Whether any rule refuses a place.
active if count(_refused) > 0

# METADATA
# description: The places that no rule refuses.
remaining := feature.remaining if not active

remaining := [id |
	some id in feature.remaining
	not _refused[id]
] if active

# METADATA
# description: The step's label.
label := concat(", ", sort([name | some name; data.landfall.custom[name].refused]))

# METADATA
# description: Why the one place that the object leaves is refused.
refusal(place) := {
	"code": "POL_PLACE_REFUSED",
	"message": concat(": ", [catalog.places[place].key, _refused[place]]),
	"field": "spec.schedulingLocation",
	"actual": catalog.places[place].key,
	"allowed": null,
}
