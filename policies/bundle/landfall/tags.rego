# METADATA
# title: Tags as labels
# description: |
#   Some providers' resources carry tags as labels of the Kubernetes object. A tag that cannot be a label would let every
#   upgrade of the release fail.
package landfall.tags

_characters := "abcdefghijklmnopqrstuvwxyz0123456789_-"

_ends := "_-"

_is_label(text) if {
	trim(text, _characters) == ""
	trim(text, _ends) == text
}

# METADATA
# description: True if a tag's key begins as those that Azure keeps for itself.
begin_like_azure if {
	some key, _ in input.spec.tags
	some own in ["azure", "microsoft", "windows"]
	startswith(key, own)
}

# METADATA
# description: True if a tag's key or value cannot be a label.
no_labels if {
	some key, value in input.spec.tags
	some text in [key, value]
	not _is_label(text)
}
