# METADATA
# title: Runs that end
# description: The end of an object's run, and which ends are denied.
package landfall.run

import data.landfall.catalog
import data.landfall.scope
import data.landfall.settings

# METADATA
# description: |
#   The end of the run, as the object says. Without that, a run with an end does what its namespace or the
#   platform says, unless the provider could not do it or its resources are to be retained.
when_done := input.spec.whenDone if {
	input.spec.whenDone
} else := "keep" if {
	not _ends
} else := "keep" if {
	_left
} else := _of_namespace if {
	_of_namespace in _possible
} else := _of_platform if {
	_of_platform in _possible
} else := "keep"

_ends if input.spec.duration

_ends if input.spec.maxLifetime

_possible := {"delete", "stop", "keep"} if input.request.kind == "VmTemplate"

_possible := {"delete", "keep"} if input.request.kind == "KaasCluster"

_of_namespace := scope.namespace_setting("landfall.dev/when-done", "-")

_of_platform := object.get(settings, ["runs", "whenDone"], "keep")

# The field for which the machine has to be stopped.
_stopping := "spec.whenDone" if {
	when_done == "stop"
} else := "spec.interruptible" if {
	input.spec.interruptible
	not _recreates
}

# METADATA
# description: The fields with their values for which the machine has to be stopped, or the setting, as a part of a sentence.
asks_to_stop := "the whenDone stop of the namespace or the platform" if {
	when_done == "stop"
	not input.spec.whenDone
} else := concat(" and ", array.concat(
	["spec.whenDone stop" | when_done == "stop"],
	["spec.interruptible" | input.spec.interruptible; not _recreates],
))

# The run pauses without a machine that stops: it is deleted, and created again.
_recreates if input.spec.interruptible.by == "recreate"

# METADATA
# description: provider -> why it cannot stop the object; empty if the object is not to be stopped.
cannot_stop[provider] := why if {
	_stopping
	some provider, kinds in object.get(catalog, "impossible", {})
	why := kinds[input.request.kind].stop
}

# METADATA
# description: provider -> why it cannot create the machine again for a pause; empty if the object does not ask for that.
cannot_recreate[provider] := why if {
	_recreates
	some provider, kinds in object.get(catalog, "impossible", {})
	reasons := [kinds[input.request.kind][operation] | some operation in _recreating]
	why := reasons[0]
}

_recreating := ["recreate", "reattach"] if {
	some disk in input.spec.disks
	disk.deletionPolicy == "retain"
} else := ["recreate"]

# METADATA
# description: Denials for objects that are to end where Landfall's own controller does not install, and for contradictions.
denials contains denial if {
	object.get(settings, ["runs", "controller"], "landfall") == "krateo"
	some field, value in _asked
	denial := {
		"code": "POL_RUN_CONTROLLER",
		"message": "nothing ends a run here: Krateo's controller, which installs, would install it again",
		"field": field,
		"actual": value,
		"allowed": "keep",
	}
}

denials contains denial if {
	object.get(settings, ["runs", "controller"], "landfall") == "krateo"
	input.spec.interruptible
	denial := {
		"code": "POL_RUN_CONTROLLER",
		"message": "nothing pauses a run here: Krateo's controller, which installs, knows of no pauses",
		"field": "spec.interruptible",
		"actual": null,
		"allowed": null,
	}
}

denials contains denial if {
	some field, value in _asked
	not _stops(field, value)
	denial := {
		"code": "POL_RUN_RETAINS",
		"message": sprintf("the machine would run on after its end, because %s leaves it at the provider", [_left]),
		"field": field,
		"actual": value,
		"allowed": null,
	}
}

# The machine would run on in each pause, and another one beside it afterwards.
denials contains denial if {
	_recreates
	input.spec.deletionPolicy == "retain"
	denial := {
		"code": "POL_RUN_RETAINS",
		"message": "the machine would run on in its pauses, because deletionPolicy: retain leaves it at the provider",
		"field": "spec.interruptible.by",
		"actual": "recreate",
		"allowed": "stop",
	}
}

_asked["spec.whenDone"] := input.spec.whenDone if input.spec.whenDone in {"delete", "stop"}

_asked["spec.maxLifetime"] := input.spec.maxLifetime if input.spec.maxLifetime

# What leaves the machine at the provider: an orphan also after its object is gone, so that nothing is left to stop it.
_left := "krateo.io/deletion-policy: orphan" if {
	_orphan
} else := "deletionPolicy: retain" if {
	input.spec.deletionPolicy == "retain"
}

_orphan if input.metadata.annotations["krateo.io/deletion-policy"] == "orphan"

_stops("spec.whenDone", "stop") if not _orphan

_stops("spec.maxLifetime", _) if {
	input.spec.whenDone == "stop"
	not _orphan
}

denials contains denial if {
	why := cannot_recreate[input.request.pin.provider]
	denial := {
		"code": "POL_RUN_STOP",
		"message": sprintf("%s cannot pause it by recreate: %s", [input.request.pin.provider, why]),
		"field": "spec.interruptible.by",
		"actual": "recreate",
		"allowed": sprintf("recreate at %s", [concat(" or ", [name | some name in sort(object.keys(catalog.impossible)); not cannot_recreate[name]])]),
	}
}

# Without a pin, such providers are only not chosen.
denials contains denial if {
	why := cannot_stop[input.request.pin.provider]
	denial := {
		"code": "POL_RUN_STOP",
		"message": sprintf("%s cannot stop the machine for %s: %s", [input.request.pin.provider, asks_to_stop, why]),
		"field": _stopping,
		"actual": "stop",
		"allowed": sprintf("stop at %s", [concat(" or ", [name | some name in sort(object.keys(catalog.impossible)); not cannot_stop[name]])]),
	}
}
