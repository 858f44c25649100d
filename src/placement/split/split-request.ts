import type { IntensityCurve } from "../../model/places/intensity.ts";
import type { PauseRules, Segment } from "../../model/runs/pause-rules.ts";
import type { RunActivity } from "../../model/runs/run-progress.ts";

/** The rest of a run to be split. Costs are in gCO2eq/kWh × s, so that they do not depend on the machine. */
export interface SplitRequest {
  curve: IntensityCurve;
  /** Seconds since 1970. */
  nowSeconds: number;
  /** Work that is left, without resumes. */
  workSeconds: number;
  /** The run ends by then. Seconds since 1970. */
  latestEnd: number;
  /** The run does not begin later than this, if it has not begun; unlimited if omitted. Seconds since 1970. */
  latestStart?: number | undefined;
  /** A run that has not begun does not begin earlier than this; now if omitted. Seconds since 1970. */
  earliestStart?: number;
  /** How much earlier it ends if it still has to resume. */
  reserveSeconds: number;
  /** `maxPauses`: those that are left. */
  rules: PauseRules;
  state: RunActivity;
  /** For each second by which the end is later than that of an immediate run. */
  waitingCost: number;
  /** What each pause has to save beyond its resume and its waiting. */
  pauseCost: number;
  /** By whole hours from now, how much better than the curve an hour counts because plans are decided again, gCO2eq/kWh. */
  bonus?: Float64Array | Float32Array;
}

export interface SplitPlan {
  /** In order of time, at least one. */
  segments: Segment[];
  /** Emissions of the segments, gCO2eq/kWh × s. */
  emitted: number;
  /** `emitted` less the bonus, with waiting and pauses: what is minimized. */
  cost: number;
}
