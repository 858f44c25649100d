import type { IntensityCurve } from "../model/places/intensity.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "../model/time.ts";
import { QUARTER_SECONDS, quarterSums, startAt, type Starts } from "./possible-starts.ts";

/** Longer runs are integrated one by one: their prefix sums would be large, and such runs rarely wait. */
const LONGEST_TABLE_SECONDS = 60 * DAY_SECONDS;
/** Means that differ by less than this share are equal: the difference is rounding. */
const ROUNDING = 1e-9;

/** Mean intensity (gCO2eq/kWh) of a run in a zone, by the index of its start. */
type MeanAt = (index: number) => number;

/** Mean intensity of a run in a zone for every start, and the best start. */
export interface ZoneMeans {
  at: MeanAt;
  /** The mean less the option value of waiting. Starts are compared by it. */
  netAt: MeanAt;
  /** Index of the start with the least net mean; the earliest of equals. */
  best: number;
  /**
   * Index of the start with the least sum of its net mean and `perSecond` (gCO2eq/kWh, at least 0) for every second
   * after the first start; the earliest of equals.
   */
  bestIf: (perSecond: number) => number;
}

interface Corner {
  index: number;
  /** Seconds since 1970. */
  start: number;
  mean: number;
}

/** The saving of each second of waiting from one start to a later one. */
const slope = (from: Corner, to: Corner): number => (from.mean - to.mean) / (to.start - from.start);

/**
 * The starts that are best at some cost of waiting, by time: the corners of the lower convex hull of the net means over
 * time, up to the least. Each is better than every earlier start, and the slope between them decreases.
 */
function cornersOf(at: MeanAt, starts: Starts): Corner[] {
  let limit = at(0);
  const corners: Corner[] = [{ index: 0, start: starts.first, mean: limit }];
  limit -= Math.abs(limit) * ROUNDING;
  for (let index = 1; index <= starts.count; index++) {
    const mean = at(index);
    if (mean < limit) {
      limit = mean - Math.abs(mean) * ROUNDING;
      addCorner(corners, { index, start: startAt(starts, index), mean });
    }
  }
  return corners;
}

/** Adds a corner, and removes those that are above the line to it. */
function addCorner(corners: Corner[], corner: Corner): void {
  for (let last = corners.length - 1; last > 0; last--) {
    const [before, middle] = [corners[last - 1], corners[last]];
    if (before === undefined || middle === undefined || slope(before, middle) > slope(middle, corner)) break;
    corners.pop();
  }
  corners.push(corner);
}

/** The last corner to which waiting saves more than it costs. */
function cornerAt(corners: readonly Corner[], perSecond: number): number {
  let best = 0;
  for (let at = 1; at < corners.length; at++) {
    const [before, corner] = [corners[at - 1], corners[at]];
    if (before === undefined || corner === undefined || slope(before, corner) <= perSecond) break;
    best = corner.index;
  }
  return best;
}

/** Two look-ups per start in prefix sums that are computed once a day: no integration and no table per start. */
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

/** The option value of waiting, for an object that is decided again until its start. */
export interface Waiting {
  /** Standard error of the curve by whole hours from now (the last applies to all later ones), gCO2eq/kWh. */
  errors: Float64Array | Float32Array;
  /** How many standard errors are subtracted from a start's mean. */
  patience: number;
  /** Surcharge on every start, gCO2eq/kWh. */
  charge: number;
}

/** Who waits, and from when. */
export interface Patience {
  /** Seconds since 1970. */
  nowSeconds: number;
  /** Undefined if no one decides again. */
  waiting: Waiting | undefined;
}

const hourOf = (time: number): number => Math.floor(time / HOUR_SECONDS);

/**
 * The net mean of a start at `start`, seen from `nowSeconds` (seconds since 1970). Only full hours until then have an
 * option value: within an hour, no new data arrives.
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

/** Mean intensities of a run of `seconds` in a zone, for every start. */
export function zoneMeans(curve: IntensityCurve, starts: Starts, seconds: number, patience: Patience): ZoneMeans {
  const at: MeanAt =
    starts.count === 0 || seconds > LONGEST_TABLE_SECONDS
      ? (index) => curve.meanOver(startAt(starts, index), seconds)
      : fromSums(curve, starts, seconds);
  const netAt = netMeans(at, starts, patience);
  const corners = cornersOf(netAt, starts);
  return { at, netAt, best: corners.at(-1)?.index ?? 0, bestIf: (perSecond) => cornerAt(corners, perSecond) };
}
