# METADATA
# title: Exemptions from rules
# description: |
#   settings.exemptions, each with an owner, a reason and an end. An exemption applies to rules of the platform and the
#   namespace that settings.exemptable lists; never to the object's own requirements or the schema.
package landfall.exemption

import data.landfall.settings

_matching := [entry |
	some entry in settings.exemptions
	_covers(entry.namespaces, input.namespace.name)
	_covers(entry.names, input.request.name)
]

_covers(patterns, value) if {
	some pattern in patterns
	glob.match(pattern, [], value)
}

# Times are texts in one format (UTC), so they compare as texts; a date without a time includes the whole day.
_expired(entry) if substring(input.clock.time, 0, count(entry.expires)) > entry.expires

# METADATA
# description: The codes of the rules that do not apply to this object, with the exemption.
waived[code] := entry if {
	count(settings.exemptions) > 0
	some code in settings.exemptable
	entry := [found | some found in _matching; code in found.codes; not _expired(found)][0]
}

# METADATA
# description: Expired exemptions of this object.
expired contains entry if {
	count(settings.exemptions) > 0
	some entry in _matching
	_expired(entry)
	some code in entry.codes
	not waived[code]
}

# METADATA
# description: The warning about an active exemption.
note(code, entry) := {
	"code": "POL_EXEMPTED",
	"message": sprintf("exempt from %s until %s by %s: %s (%s)", [code, entry.expires, entry.owner, entry.reason, entry.id]),
}

# METADATA
# description: The warning about an expired exemption.
ended(entry) := {
	"code": "POL_EXEMPTION_EXPIRED",
	"message": sprintf("exemption %s of %s from %s ended on %s", [entry.id, entry.owner, concat(", ", entry.codes), entry.expires]),
}

# METADATA
# description: A denial also names the expired exemption.
denial(entry) := object.union(ended(entry), {"field": "settings.exemptions", "actual": entry.expires, "allowed": null})
