# METADATA
# title: Schedule and objective
package landfall.schedule

import data.landfall.scope
import data.landfall.settings

# METADATA
# description: Weights of carbon, price and latency.
objective := settings.objective.weights[scope.objective_name] if {
	settings.objective.weights[scope.objective_name]
} else := settings.objective.weights[settings.objective.default]

# METADATA
# description: Longest time to a start.
horizon_seconds := settings.horizonHours * 3600

# METADATA
# description: |
#   Tolerance for near-ties, budgets, the price and the limit of waiting, and the gain that a new decision needs before it moves
#   a start.
limits := object.union(object.remove(settings.schedule, ["maxWait"]), {
	"waitingCostPercent": waiting_cost_percent,
	"maxWaitSeconds": max_wait_seconds,
})

# METADATA
# description: Percent of the best score of an immediate start that one day of waiting has to save.
waiting_cost_percent := _own_cost if {
	_own_cost != null
} else := scope.namespace_number("landfall.dev/waiting-cost-percent") if {
	scope.namespace_number("landfall.dev/waiting-cost-percent") != null
} else := object.get(settings.schedule, "waitingCostPercent", 6)

default _own_cost := null

_own_cost := input.request.waitingCostPercent

# METADATA
# description: Longest wait in seconds, the shortest of platform, namespace and object; null for no limit.
default max_wait_seconds := null

max_wait_seconds := min(_waits) if count(_waits) > 0

_waits contains input.request.maxWaitSeconds if input.request.maxWaitSeconds != null

_waits contains _seconds(scope.namespace_setting("landfall.dev/max-wait", "_"))

_waits contains _seconds(settings.schedule.maxWait)

_unit := {"d": 86400, "h": 3600, "m": 60, "s": 1}

# Seconds of 1d12h, 12h, 90m or 0s; undefined for null and for other texts.
_seconds(text) := sum(parts) if {
	scope.is_wait(text)
	parts := [seconds |
		some [_, amount, unit] in regex.find_all_string_submatch_n(`([0-9]+)([dhms])`, text, -1)
		seconds := to_number(amount) * _unit[unit]
	]
}

# METADATA
# description: The fields that admission fills in.
write := settings.write
