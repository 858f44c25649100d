/** What the decision log could not keep, in Prometheus' text format. */
export const lostDecisions = (count: number): string =>
  [
    "# HELP landfall_decision_log_lost_total Decisions that could not be written to the decision log.",
    "# TYPE landfall_decision_log_lost_total counter",
    `landfall_decision_log_lost_total ${String(count)}`,
    "",
  ].join("\n");
