# METADATA
# title: Licences of images
# description: |
#   Prices are those of the machine. An image can have a licence by the hour that costs more, so where a price is limited only images are allowed
#   that cost nothing beyond the machine.
package landfall.licence

import data.landfall.exemption
import data.landfall.image
import data.landfall.images
import data.landfall.max_price
import data.landfall.owner
import data.landfall.quota

_pinned := input.request.pin.image

# METADATA
# description: Denials for an image that is neither known to cost nothing nor the namespace's own nor allowed, where a price is limited.
denials contains denial if {
	_pinned != null
	count(_limited) > 0
	not exemption.waived.POL_IMAGE_LICENCE
	not image.is_of_platform
	path := _path(lower(_pinned))
	not owner.is_own(path)
	not owner.is_allowed(path, object.get(images, "unlicensed", []))
	not owner.is_allowed(path, image.prefixes)
	denial := {
		"code": "POL_IMAGE_LICENCE",
		"message": sprintf("spec.image %s can have a licence by the hour, and %s counts the machine alone; settings.images.allowed has no prefix of %s", [
			_pinned,
			concat(" and ", sort(_limited)),
			path,
		]),
		"field": "spec.image",
		"actual": _pinned,
		"allowed": image.prefixes,
	}
}

_limited contains "spec.maxPrice" if max_price.active

_limited contains sprintf("the limit of %v USD per month of namespace %s", [quota.limits.pricePerMonth, input.namespace.name]) if {
	not exemption.waived.POL_QUOTA
}

# The image as a path, so that a prefix can name a publisher of Azure, parameters of AWS or one AMI. Undefined for what only the namespace's own project,
# or Elemento, can have.
_path(id) := sprintf("publishers/%s", [concat("/", split(id, ":"))]) if {
	regex.match(`^([^:/]+:){3}[^:/]+$`, id)
} else := sprintf("parameters/%s", [trim_prefix(trim_prefix(id, "resolve:ssm:"), "/")]) if {
	startswith(id, "resolve:ssm:")
} else := sprintf("amis/%s", [id]) if {
	startswith(id, "ami-")
} else := image.path(id)
