package landfall.tags_test

import data.landfall.tags

_refused(given) if tags.no_labels with input as {"spec": {"tags": given}}

test_labels_are_accepted if {
	every given in [{}, {"team": "web"}, {"a": ""}, {"cost-centre": "42_a-b"}] {
		not _refused(given)
	}
}

test_a_spec_without_tags_is_accepted if not tags.no_labels with input as {"spec": {}}

test_what_is_no_label_is_found[case] if {
	some case, given in {
		"a dash alone": {"a": "-"},
		"a dash at the end": {"a": "b-"},
		"a line at the start": {"a": "_b"},
		"a capital letter": {"a": "Web"},
		"a space in the middle": {"a": "b c"},
		"a key that ends with a dash": {"a-": "b"},
	}
	_refused(given)
}
