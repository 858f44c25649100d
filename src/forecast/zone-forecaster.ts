import { HourlyCurve } from "../model/hourly-curve.ts";
import type { HourlySeries } from "../model/hourly-series.ts";
import { describeHour, FEATURES, type Known, nothingKnown, recentErrors, takeNote } from "./features.ts";
import { BUCKET_OF, BUCKETS, HORIZON_HOURS, lastHourOf } from "./lead-buckets.ts";
import { solveRidge } from "./solve-ridge.ts";

const HOUR_SECONDS = 3600;
/** Weights are learned again once a day, from every third past hour: more changes nothing that can be measured. */
const LEARN_EVERY = 24;
const SAMPLE = 3;
/** Who does not learn looks at fewer hours: every fifth one comes by each hour of the day. */
const WATCH_EVERY = 5;
/** A day's weight in learning after 100 days is 1/e. */
const MEMORY_PER_DAY = 0.99;
/** The prior counts as much as this many hours, each as large as the zone's usual error. */
const PRIOR_HOURS = 100;
/** An error of the last hour halves in about eight hours. */
const DECAY_HOURS = 12;

interface Bucket {
  gram: Float64Array;
  moment: Float64Array;
  prior: Float64Array;
  weights: Float64Array;
  /** Decayed sums of squared errors and their count. */
  squares: number;
  count: number;
}

/** Before anything is learned: half the four weeks' mean, and the last error, which decays. */
function firstWeights(bucket: number): Float64Array {
  const weights = new Float64Array(FEATURES);
  weights[0] = Math.exp(-lastHourOf(bucket) / DECAY_HOURS);
  weights[3] = 0.5 * Math.exp(-lastHourOf(bucket) / 48);
  weights[7] = 0.3;
  return weights;
}

function newBucket(bucket: number): Bucket {
  const prior = firstWeights(bucket);
  const gram = new Float64Array(FEATURES * FEATURES);
  return { gram, moment: new Float64Array(FEATURES), prior, weights: prior, squares: 0, count: 0 };
}

const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let index = 0; index < FEATURES; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
};

/** Adds an observation to the sums X'X and X'y. */
function addRow({ gram, moment }: Bucket, row: Float64Array, wanted: number): void {
  for (let i = 0; i < FEATURES; i++) {
    const value = row[i] ?? 0;
    moment[i] = (moment[i] ?? 0) + value * wanted;
    for (let j = 0; j < FEATURES; j++) gram[i * FEATURES + j] = (gram[i * FEATURES + j] ?? 0) + value * (row[j] ?? 0);
  }
}

/**
 * The embedded forecast of one electricity zone. It is shown the measured hours one after the other and never looks ahead;
 * from what it was shown it learns, for each lead, how to blend the same hours of the last days and weeks and the errors of
 * the last hours (ridge regression, older days count less).
 */
export class ZoneForecaster {
  readonly #series: HourlySeries;
  readonly #learns: boolean;
  readonly #data: Known;
  /** The same data as at an earlier hour: one object, because it is asked for very often. */
  readonly #past: Known;
  readonly #buckets = Array.from({ length: BUCKETS }, (_, bucket) => newBucket(bucket));
  readonly #row = new Float64Array(FEATURES);
  readonly #recent: Float64Array[] = [];

  /** `learns` false: it stays with the weights that it begins with, and only watches how well they do. */
  constructor(series: HourlySeries, { learns }: { learns: boolean } = { learns: true }) {
    this.#series = series;
    this.#learns = learns;
    this.#data = nothingKnown(series.values);
    this.#past = { ...this.#data };
  }

  /** Takes note of every hour that is over at `now` (seconds since 1970). */
  advance(now: number): void {
    const over = Math.floor((now - this.#series.start) / HOUR_SECONDS);
    const last = Math.min(over, this.#series.values.length);
    while (this.#data.known < last) this.#takeHour();
  }

  /** The coming hours as they look after the last `advance`. */
  curve(): HourlyCurve {
    const { known } = this.#data;
    const values = new Float64Array(HORIZON_HOURS);
    const recent = this.#recent[known] ?? new Float64Array(4);
    for (let lead = 1; lead <= HORIZON_HOURS; lead++) values[lead - 1] = this.#predict(known - 1 + lead, lead, recent);
    const issuedAt = this.#series.start + known * HOUR_SECONDS;
    const until = issuedAt + HORIZON_HOURS * HOUR_SECONDS;
    return new HourlyCurve(issuedAt, values, { source: "embedded forecast", issuedAt, until });
  }

  /** Standard error of the forecast `lead` hours ahead, gCO2eq/kWh. */
  errorAt(lead: number): number {
    const bucket = this.#buckets[BUCKET_OF[Math.min(Math.max(1, Math.ceil(lead)), HORIZON_HOURS)] ?? 0];
    return bucket === undefined || bucket.count === 0 ? 0 : Math.sqrt(bucket.squares / bucket.count);
  }

  #predict(target: number, lead: number, recent: Float64Array): number {
    if (this.#data.known === 0) return this.#series.before ?? 0;
    const bucket = this.#buckets[BUCKET_OF[lead] ?? 0];
    const from = describeHour(this.#data, target, recent, this.#row);
    return bucket === undefined ? from : Math.max(0, from + dot(bucket.weights, this.#row));
  }

  #takeHour(): void {
    const hour = this.#data.known;
    const watches = this.#learns || hour % WATCH_EVERY === 0;
    for (let lead = 1 + (hour % SAMPLE); watches && lead <= HORIZON_HOURS && lead < hour; lead += SAMPLE)
      this.#learn(hour, lead);
    takeNote(this.#data);
    this.#recent[hour + 1] = recentErrors(this.#data);
    if (this.#learns && hour % LEARN_EVERY === 0) this.#solve();
  }

  /** What was known when so many hours were over. */
  #asOf(known: number): Known {
    this.#past.known = known;
    return this.#past;
  }

  /** What would have been said about `hour` `lead` hours earlier, and how it came. */
  #learn(hour: number, lead: number): void {
    const bucket = this.#buckets[BUCKET_OF[lead] ?? 0];
    const known = hour + 1 - lead;
    const recent = this.#recent[known];
    if (bucket === undefined || recent === undefined) return;
    const row = this.#row;
    const from = describeHour(this.#asOf(known), hour, recent, row);
    const wanted = (this.#series.values[hour] ?? 0) - from;
    const error = wanted - dot(bucket.weights, row);
    bucket.squares += error * error;
    bucket.count += 1;
    addRow(bucket, row, wanted);
  }

  #solve(): void {
    for (const bucket of this.#buckets) {
      const usual = bucket.count === 0 ? 1 : bucket.squares / bucket.count;
      bucket.weights = solveRidge(bucket.gram, bucket.moment, bucket.prior, Math.max(1, PRIOR_HOURS * usual));
      for (let i = 0; i < bucket.gram.length; i++) bucket.gram[i] = (bucket.gram[i] ?? 0) * MEMORY_PER_DAY;
      for (let i = 0; i < FEATURES; i++) bucket.moment[i] = (bucket.moment[i] ?? 0) * MEMORY_PER_DAY;
      bucket.squares *= MEMORY_PER_DAY;
      bucket.count *= MEMORY_PER_DAY;
    }
  }
}
