import type { IntensityCurve } from "../model/intensity.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "../model/time.ts";
import { QUARTER_SECONDS, quarterSums, startAt, type Starts } from "./possible-starts.ts";

/** Runs longer than this are asked for one by one: their sums would be large, and few people wait for such a run. */
const LONGEST_TABLE_SECONDS = 60 * DAY_SECONDS;
/** Means less than this share apart are equal but for rounding. */
const ROUNDING = 1e-9;

/** Mean intensity (gCO2eq/kWh) of a run in a zone, by the index of its start. */
type MeanAt = (index: number) => number;

/** What a run meets in a zone at every start, and the best of them. */
export interface ZoneMeans {
  at: MeanAt;
  /** The same less what waiting is worth, where it is worth something: what starts are compared by. */
  netAt: MeanAt;
  /** Index of the start that counts least; the earlier one of equals. */
  best: number;
}

function leastOf(at: MeanAt, count: number): number {
  let best = 0;
  let least = at(0);
  for (let index = 1; index <= count; index++) {
    const mean = at(index);
    if (mean < least - least * ROUNDING) {
      best = index;
      least = mean;
    }
  }
  return best;
}

/** Two look-ups per start in sums that are made once a day: no start is integrated again, and no table is filled. */
function fromSums(curve: IntensityCurve, starts: Starts, seconds: number): MeanAt {
  const { base, sums } = quarterSums(curve, starts.first, startAt(starts, starts.count) + seconds);
  const whole = Math.floor(seconds / QUARTER_SECONDS);
  const part = seconds / QUARTER_SECONDS - whole;
  const grid = (starts.grid - base) / QUARTER_SECONDS - 1;
  const first = curve.meanOver(starts.first, seconds);
  return (index) => {
    if (index === 0) return first;
    const at = grid + index;
    const end = sums[at + whole] ?? 0;
    const rest = part === 0 ? 0 : part * ((sums[at + whole + 1] ?? 0) - end);
    return (end + rest - (sums[at] ?? 0)) / seconds;
  };
}

/** For who decides again until the start: what a start counts for beyond what its curve says. */
export interface Waiting {
  /** By whole hours from now (the last goes on): how wrong the curve may be, gCO2eq/kWh. */
  errors: Float64Array | Float32Array;
  /** How many of these a start counts as better. */
  patience: number;
  /** What any start counts as worse, gCO2eq/kWh. */
  charge: number;
}

/** What waiting is worth to whom. */
export interface Patience {
  /** Seconds since 1970. */
  nowSeconds: number;
  /** Undefined where nobody decides again. */
  waiting: Waiting | undefined;
}

const hourOf = (time: number): number => Math.floor(time / HOUR_SECONDS);

/**
 * What a mean counts for in a start at `start`, seen from `now` (seconds since 1970). Only full hours that pass until then are
 * worth something: within one nothing new is learned.
 */
export function netMean(
  mean: number,
  { errors, patience, charge }: Waiting,
  nowSeconds: number,
  start: number,
): number {
  const hours = Math.min(Math.max(0, hourOf(start) - hourOf(nowSeconds)), errors.length - 1);
  return mean + charge - patience * (errors[hours] ?? 0);
}

function netMeans(at: MeanAt, starts: Starts, { nowSeconds, waiting }: Patience): MeanAt {
  return waiting === undefined ? at : (index) => netMean(at(index), waiting, nowSeconds, startAt(starts, index));
}

/** What a run of `seconds` meets in a zone, for every start. */
export function zoneMeans(curve: IntensityCurve, starts: Starts, seconds: number, patience: Patience): ZoneMeans {
  const at: MeanAt =
    starts.count === 0 || seconds > LONGEST_TABLE_SECONDS
      ? (index) => curve.meanOver(startAt(starts, index), seconds)
      : fromSums(curve, starts, seconds);
  const netAt = netMeans(at, starts, patience);
  return { at, netAt, best: leastOf(netAt, starts.count) };
}
