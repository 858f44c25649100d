import { DAY_HOURS, WEEK_HOURS } from "../model/time.ts";
import { dot, type Part } from "./dot.ts";
import {
  describeHour,
  describeRecent,
  FEATURES,
  type Known,
  meanOfDays,
  nothingKnown,
  RECENT,
  takeNote,
} from "./features.ts";
import { BUCKET_OF, BUCKETS, HORIZON_HOURS } from "./lead-buckets.ts";
import { NEIGHBOURHOODS } from "./neighbours.ts";

const MONTH = 672;
/** Features of a neighbourhood: the last 6 hours, the last 24, and the last 3 less the last 6. */
const SPANS = 3;
/** Neighbours' errors are clipped to this many usual errors. */
const GREATEST = 4;
/** A zone's own features: those of features.ts, two means of the same hour over 84 and 14 days, and five kept ones. */
export const OWN_FEATURES = FEATURES + 7;
/** Features that are the same for every future hour and do not follow from the zone's errors of the last day. */
const KEPT = 5 + SPANS * NEIGHBOURHOODS;
/** The zone's own features and those of its neighbours. */
export const POOL_FEATURES = FEATURES + 2 + KEPT;

/** The features of a row that are the same for all future hours, and those of one hour. */
const BEFORE: Part = [0, RECENT];
const TARGET: Part = [RECENT, FEATURES + 2];
const AFTER: Part = [FEATURES + 2, POOL_FEATURES];

const mean = (sums: Float64Array, known: number, hours: number): number => {
  const from = Math.max(0, known - hours);
  return ((sums[known] ?? 0) - (sums[from] ?? 0)) / Math.max(1, known - from);
};

/** The pool's data of one zone: that of features.ts, and by hour the features of the longer past and of its neighbours. */
export class PoolZone {
  readonly data: Known;
  /** By number of known hours: the usual error, gCO2eq/kWh, which normalises zones. */
  readonly usual: Float64Array;
  readonly #sums: Float64Array;
  readonly #squares: Float64Array;
  readonly #kept: Float32Array;
  /** By span: the mean difference of the last hours from their base, in usual errors. */
  readonly #lately = new Float64Array(SPANS);
  readonly #row = new Float64Array(POOL_FEATURES);

  constructor(values: Float64Array) {
    this.data = nothingKnown(values);
    this.usual = new Float64Array(values.length + 1);
    this.#sums = new Float64Array(values.length + 1);
    this.#squares = new Float64Array(values.length + 1);
    this.#kept = new Float32Array((values.length + 1) * KEPT);
  }

  /** Adds one more hour. */
  take(): void {
    const { data } = this;
    takeNote(data);
    const { known, values, errors, errorSums } = data;
    const error = errors[known - 1] ?? 0;
    this.#sums[known] = (this.#sums[known - 1] ?? 0) + (values[known - 1] ?? 0);
    this.#squares[known] = (this.#squares[known - 1] ?? 0) + error * error;
    const level = mean(this.#sums, known, known);
    this.usual[known] = Math.sqrt(Math.max(0, mean(this.#squares, known, MONTH))) + 0.02 * Math.max(1, level);
    const [three, six, day] = [3, 6, DAY_HOURS].map((hours) => this.#inUsual(mean(errorSums, known, hours)));
    this.#lately.set([six ?? 0, day ?? 0, (three ?? 0) - (six ?? 0)]);
  }

  #inUsual(error: number): number {
    return Math.min(GREATEST, Math.max(-GREATEST, error / (this.usual[this.data.known] ?? 1)));
  }

  /** Keeps the present features besides the last day's errors; `areas`: weights of `zones` by neighbourhood. */
  keep(zones: readonly PoolZone[], areas: readonly Float64Array[]): void {
    const { known, errorSums } = this.data;
    const level = (hours: number): number => mean(this.#sums, known, hours);
    const figures = [
      mean(errorSums, known, 12),
      mean(errorSums, known, 72),
      mean(errorSums, known, WEEK_HOURS),
      level(WEEK_HOURS) - level(MONTH),
      level(DAY_HOURS) - level(WEEK_HOURS),
    ];
    const usual = this.usual[known] ?? 1;
    for (const weights of areas) for (const told of sumLately(zones, weights)) figures.push(told * usual);
    this.#kept.set(figures, known * KEPT);
  }

  /** The differences of the zone's last hours from their base. */
  get lately(): Float64Array {
    return this.#lately;
  }

  /** Writes the part of a row that does not depend on the future hour, as of `known` hours. */
  describeThen(known: number, into: Float64Array): void {
    describeRecent(this.data, known, into);
    const from = known * KEPT;
    for (let at = 0; at < KEPT; at++) into[FEATURES + 2 + at] = this.#kept[from + at] ?? 0;
  }

  /** Writes the part of a row for hour `target`; returns its base. */
  describeTarget(target: number, daysAhead: number, into: Float64Array): number {
    const from = describeHour(this.data, target, daysAhead, into);
    const last = target - DAY_HOURS * daysAhead;
    into[FEATURES] = last < 0 ? 0 : meanOfDays(this.data.days, last, 84) - from;
    into[FEATURES + 1] = last < 0 ? 0 : meanOfDays(this.data.days, last, 14) - from;
    return from;
  }

  /** Forecast of the hours after the first `known` by `weights` (POOL_FEATURES for each bucket of leads), gCO2eq/kWh. */
  forecast(known: number, weights: Float64Array): Float64Array {
    const row = this.#row;
    this.describeThen(known, row);
    const then = new Float64Array(BUCKETS);
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const first = bucket * POOL_FEATURES;
      then[bucket] = dot(weights, first, row, BEFORE) + dot(weights, first, row, AFTER);
    }
    const values = new Float64Array(HORIZON_HOURS);
    for (let lead = 1; lead <= HORIZON_HOURS; lead++) {
      const bucket = BUCKET_OF[lead] ?? 0;
      const from = this.describeTarget(known - 1 + lead, Math.ceil(lead / DAY_HOURS), row);
      values[lead - 1] = Math.max(0, from + (then[bucket] ?? 0) + dot(weights, bucket * POOL_FEATURES, row, TARGET));
    }
    return values;
  }
}

function sumLately(zones: readonly PoolZone[], weights: Float64Array): Float64Array {
  const told = new Float64Array(SPANS);
  for (const [at, zone] of zones.entries()) {
    const weight = weights[at] ?? 0;
    if (weight < 1e-6) continue;
    for (let span = 0; span < SPANS; span++) told[span] = (told[span] ?? 0) + weight * (zone.lately[span] ?? 0);
  }
  return told;
}
