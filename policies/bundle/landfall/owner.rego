# METADATA
# title: Owners of ids
# description: Tells the project or subscription of a resource by its id, in lower case.
package landfall.owner

_google := "https://www.googleapis.com/compute/v1/"

# METADATA
# description: The project in which Config Connector creates the namespace's resources; empty if the namespace does not say it.
project := object.get(input.namespace.annotations, "cnrm.cloud.google.com/project-id", "")

# METADATA
# description: True in that project.
is_own(id) if {
	project != ""
	is_below(id, sprintf("projects/%s", [lower(project)]))
}

# METADATA
# description: True below one of these prefixes.
is_allowed(id, prefixes) if {
	some prefix in prefixes
	is_below(id, lower(prefix))
}

# METADATA
# description: True if the id is the prefix, or one of its segments follows. An id that a provider could read as another path is below none.
is_below(id, prefix) if {
	is_plain(id)
	some path in {id, trim_prefix(id, _google)}
	startswith(sprintf("%s/", [path]), sprintf("%s/", [trim_suffix(prefix, "/")]))
}

# METADATA
# description: True if every provider reads the id as it is written.
is_plain(id) if {
	not contains(id, "..")
	not regex.match(`[\\%?#\s]`, id)
	not contains(trim_prefix(id, "https://"), "//")
}

# METADATA
# description: The prefixes that settings with `allowed` have for the namespace and for all.
prefixes(part) := sort({prefix |
	some name in [input.namespace.name, "*"]
	some prefix in object.get(object.get(part, "allowed", {}), name, [])
})

# METADATA
# description: |
#   A name of Google Cloud that is in none of these forms, each a regular expression and how it is written. Config Connector looks for the project anywhere
#   in a name, so one with two projects is that of the wrong one. No exemption allows it.
form_denial(field, id, forms) := {
	"code": "POL_GOOGLE_NAME",
	"message": sprintf("%s %s is not a name of Google Cloud with one project: write %s", [field, id, concat(" or ", _texts(forms))]),
	"field": field,
	"actual": id,
	"allowed": concat(", ", _texts(forms)),
} if {
	every form in forms { not regex.match(sprintf("^%s$", [form.pattern]), id) }
}

_texts(forms) := [form.text | some form in forms]

# METADATA
# description: The pattern of a path of Google Cloud from its project on, as a path or as a link.
project_path(rest) := sprintf(`(?:https://www\.googleapis\.com/compute/v1/)?projects/%s/%s`, [project_pattern, rest])

# METADATA
# description: A project by its id, with its domain in front if it has one, or by its number.
project_pattern := `(?:[a-z0-9.-]+:)?[a-z0-9-]+`
