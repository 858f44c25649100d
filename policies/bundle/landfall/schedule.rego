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
# description: Tolerance for near-ties, budgets, and the gain that a new decision needs before it moves a start.
limits := settings.schedule

# METADATA
# description: The fields that admission fills in.
write := settings.write
