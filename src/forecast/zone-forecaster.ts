import { HourlyCurve, type HourlySeries } from "../model/places/intensity.ts";
import { DAY_HOURS, HOUR_SECONDS } from "../model/time.ts";
import { dot } from "./dot.ts";
import {
  describeHour,
  describeRecent,
  FEATURES,
  type Known,
  nothingKnown,
  steady,
  steadyError,
  takeNote,
} from "./features.ts";
import { BUCKET_OF, BUCKETS, HORIZON_HOURS } from "./lead-buckets.ts";
import { LeadWeights } from "./lead-weights.ts";
import { type RunErrors, WaitErrors, WaitErrorsOfDay } from "./wait-errors.ts";

/** Weights are learned once a day, from every third past lead: more samples make no measurable difference. */
const SAMPLE = 3;
/** Forecasts are evaluated twice a day, from the first full week. */
const JUDGE_EVERY = 12;
const JUDGED_FROM = 200;
/**
 * The forecast is the mean of the learned and the steady one: the learned one has the smaller error, but jobs start at
 * better hours with the mean.
 */
const LEARNED = 0.5;

/** The weights and errors learned up to one day. */
interface Learned {
  /** The weights of all buckets in sequence. */
  weights: Float64Array;
  /** See `WaitErrors`. */
  waitErrors: Float64Array;
}

/**
 * The embedded forecast of one electricity zone. It reads the measured hours one after the other and never looks ahead.
 * For each lead it learns how to blend the same hours of the last days and weeks with the errors of the last hours
 * (ridge regression, older days count less). It keeps the weights of each day, so that every earlier forecast can be
 * reproduced.
 */
export class ZoneForecaster {
  readonly #series: HourlySeries;
  readonly #data: Known;
  readonly #buckets = Array.from({ length: BUCKETS }, (_, bucket) => new LeadWeights(bucket));
  readonly #waitErrors = new WaitErrors();
  readonly #row = new Float64Array(FEATURES);
  /** By day: the weights learned in its first hour. */
  readonly #learned: Learned[] = [];
  #asked: { day: Learned | undefined; errors: WaitErrorsOfDay } | null = null;

  constructor(series: HourlySeries) {
    this.#series = series;
    this.#data = nothingKnown(series.values);
  }

  /** Reads every hour that has ended at `nowSeconds` (seconds since 1970). */
  advance(nowSeconds: number): void {
    const known = this.#hoursOver(nowSeconds);
    while (this.#data.known < known) this.#takeHour();
  }

  /** The forecast made at `nowSeconds`, up to which the forecaster has been advanced. */
  curveAt(nowSeconds: number): HourlyCurve {
    return this.curveOf(nowSeconds, this.valuesAt(nowSeconds));
  }

  /** Values as a curve that begins with the first hour that has not ended at `nowSeconds`. */
  curveOf(nowSeconds: number, values: Float64Array): HourlyCurve {
    const issuedAt = this.#series.start + this.#hoursOver(nowSeconds) * HOUR_SECONDS;
    const until = issuedAt + HORIZON_HOURS * HOUR_SECONDS;
    return new HourlyCurve(issuedAt, values, { source: "embedded forecast", issuedAt, until });
  }

  /** The same as hourly values, gCO2eq/kWh. */
  valuesAt(nowSeconds: number): Float64Array {
    const known = this.#hoursOver(nowSeconds);
    return known === 0 ? new Float64Array(HORIZON_HOURS).fill(this.#series.before ?? 0) : this.#predict(known);
  }

  /**
   * The standard error, as known at `nowSeconds`, of the difference between a run of `runHours` after some hours of
   * waiting and the same run now. The last requested day is cached.
   */
  waitErrorsAt(nowSeconds: number, runHours: number): RunErrors {
    const day = this.#learnedBy(this.#hoursOver(nowSeconds));
    if (this.#asked === null || this.#asked.day !== day) {
      this.#asked = { day, errors: new WaitErrorsOfDay(day?.waitErrors ?? new Float64Array(0)) };
    }
    return this.#asked.errors.of(runHours);
  }

  #hoursOver(nowSeconds: number): number {
    const over = Math.floor((nowSeconds - this.#series.start) / HOUR_SECONDS);
    return Math.min(Math.max(0, over), this.#series.values.length);
  }

  /** The weights learned after this many hours. */
  #learnedBy(known: number): Learned | undefined {
    return this.#learned[Math.floor((known - 1) / DAY_HOURS)];
  }

  #predict(known: number): Float64Array {
    const values = new Float64Array(HORIZON_HOURS);
    const weights = this.#learnedBy(known)?.weights ?? new Float64Array(0);
    const row = this.#row;
    const lastError = steadyError(this.#data, known, row);
    describeRecent(this.#data, known, row);
    for (let lead = 1; lead <= HORIZON_HOURS; lead++) {
      const from = describeHour(this.#data, known - 1 + lead, Math.ceil(lead / DAY_HOURS), row);
      const learned = dot(weights, (BUCKET_OF[lead] ?? 0) * FEATURES, row);
      values[lead - 1] = Math.max(0, from + LEARNED * learned + (1 - LEARNED) * steady(row, lastError, lead));
    }
    return values;
  }

  #takeHour(): void {
    const hour = this.#data.known;
    this.#observe(hour);
    takeNote(this.#data);
    if (hour % DAY_HOURS === 0) this.#closeDay(hour);
  }

  /** Adds a sample for `hour` from each lead. */
  #observe(hour: number): void {
    const row = this.#row;
    let daysAhead = 0;
    let from = 0;
    for (let lead = 1 + (hour % SAMPLE); lead <= HORIZON_HOURS && lead < hour; lead += SAMPLE) {
      if (lead > daysAhead * DAY_HOURS) {
        daysAhead = Math.ceil(lead / DAY_HOURS);
        from = describeHour(this.#data, hour, daysAhead, row);
      }
      describeRecent(this.#data, hour + 1 - lead, row);
      this.#buckets[BUCKET_OF[lead] ?? 0]?.observe(row, (this.#series.values[hour] ?? 0) - from);
    }
  }

  #closeDay(hour: number): void {
    this.#judge(hour);
    const weights = new Float64Array(BUCKETS * FEATURES);
    for (const [bucket, one] of this.#buckets.entries()) {
      one.learn();
      weights.set(one.weights, bucket * FEATURES);
    }
    this.#learned.push({ weights, waitErrors: this.#waitErrors.snapshot() });
  }

  /** Evaluates the last forecasts whose hours have all ended. */
  #judge(hour: number): void {
    this.#waitErrors.age();
    for (let before = 0; before < DAY_HOURS; before += JUDGE_EVERY) {
      const issued = hour + 1 - HORIZON_HOURS - before;
      if (issued >= JUDGED_FROM) this.#waitErrors.observe(this.#predict(issued), this.#series.values, issued);
    }
  }
}
