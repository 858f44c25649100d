import type { IntensityCurve } from "../../model/places/intensity.ts";
import type { PauseRules, Segment } from "../../model/runs/pause-rules.ts";
import type { RunActivity } from "../../model/runs/run-times.ts";
import { HOUR_SECONDS } from "../../model/time.ts";
import { QUARTER_SECONDS, quarterSums } from "../possible-starts.ts";

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
  /** The saving that each pause must bring beyond its resume and its waiting. */
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

/** Cells of the tables of one plan, at most: about two milliseconds. */
const MOST_CELLS = 250_000;
/** Steps of the grid: a long run in a long window is planned by larger ones. Beyond the last one, each is twice as long as the one before. */
const STEPS = [1, 2, 4, 8, 16, 32, 96].map((quarters) => quarters * QUARTER_SECONDS);

/** Times at which work may begin or end, and what it emits in between. Costs as in `SplitRequest`. */
export interface RunGrid {
  step: number;
  /** The first full step of the clock that is not before the earliest start. */
  first: number;
  /** How many steps end by `latestEnd`. */
  count: number;
  /** Cost of all steps before one. */
  sums: Float64Array;
}

/** The smallest step whose tables are small enough, whatever the run and its window. */
export function stepOf({ nowSeconds, workSeconds, latestEnd, rules }: SplitRequest): number {
  const fits = (step: number): boolean => {
    const cells = ((latestEnd - nowSeconds) / step) * (workSeconds / step + 1) * (rules.maxPauses + 1) * 2;
    return cells <= MOST_CELLS;
  };
  const known = STEPS.find(fits);
  if (known !== undefined) return known;
  let step = STEPS.at(-1) ?? QUARTER_SECONDS;
  while (!fits(step)) step *= 2;
  return step;
}

/** How much better than the curve this moment counts. */
function bonusAt({ bonus, nowSeconds }: SplitRequest, time: number): number {
  if (bonus === undefined) return 0;
  const hours = Math.floor(time / HOUR_SECONDS) - Math.floor(nowSeconds / HOUR_SECONDS);
  return bonus[Math.min(Math.max(0, hours), bonus.length - 1)] ?? 0;
}

/** The emissions of the machine in `seconds` from `start`, less the bonus of the hour in which it starts. */
export function costOver(request: SplitRequest, start: number, seconds: number): number {
  return seconds <= 0 ? 0 : (request.curve.meanOver(start, seconds) - bonusAt(request, start)) * seconds;
}

/** The grid of a request with steps of `step` seconds, a multiple of a quarter of an hour. */
export function runGrid(request: SplitRequest, step: number): RunGrid {
  const { curve, nowSeconds, earliestStart = nowSeconds, latestEnd } = request;
  const first = Math.ceil(earliestStart / step) * step;
  const count = Math.max(0, Math.floor((latestEnd - first) / step));
  const { base, sums: quarters } = quarterSums(curve, nowSeconds, first + count * step);
  const each = step / QUARTER_SECONDS;
  const from = (first - base) / QUARTER_SECONDS;
  const sums = new Float64Array(count + 1);
  for (let index = 0; index < count; index++) {
    const at = from + index * each;
    const emitted = (quarters[at + each] ?? 0) - (quarters[at] ?? 0);
    sums[index + 1] = (sums[index] ?? 0) + emitted - bonusAt(request, first + index * step) * step;
  }
  return { step, first, count, sums };
}
