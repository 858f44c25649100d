import type { HourlySeries } from "../model/hourly-series.ts";
import { dot, type Part } from "./dot.ts";
import { BUCKET_OF, BUCKETS, firstHourOf, HORIZON_HOURS, lastHourOf } from "./lead-buckets.ts";
import { neighbours, type Site } from "./neighbours.ts";
import { learnWeights, PoolSums } from "./pool-weights.ts";
import { POOL_FEATURES, PoolZone, TARGET_FROM, TARGET_TO } from "./pool-zone.ts";

const HOUR_SECONDS = 3600;
const DAY = 24;
const WEEK = 168;
/** Nothing is learned from forecasts made with less than this behind them. */
const LEARNED_FROM = 2 * WEEK;
/** Leads of half a day and more are learned from every second hour, other ones from one day to the next. */
const LONG_LEAD = 12;

/**
 * A forecast of many zones that learn from each other: which figures of the past make a forecast, by ridge regression over
 * all of them, which a zone's own hours then correct, once a week; and how the last hours of the neighbours were, above all
 * of those to the west, where most of Europe's and America's weather comes from. It is shown the hours one after the
 * other and keeps what it had learned by each week, so that every earlier forecast can be asked for again.
 */
export class ZonePool {
  readonly #start: number;
  readonly #hours: number;
  readonly #index: ReadonlyMap<string, number>;
  readonly #zones: readonly PoolZone[];
  readonly #sums: readonly PoolSums[];
  readonly #areas: readonly (readonly Float64Array[])[];
  readonly #row = new Float64Array(POOL_FEATURES);
  /** By week: what was learned before it, by zone. */
  readonly #learned: Float64Array[][] = [];
  #known = 0;

  /** All `series` begin at the same hour. */
  constructor(series: ReadonlyMap<string, HourlySeries>, sites: ReadonlyMap<string, Site>) {
    const all = [...series.values()];
    this.#start = all[0]?.start ?? 0;
    this.#hours = Math.min(...all.map(({ values }) => values.length));
    this.#index = new Map([...series.keys()].map((zone, at) => [zone, at]));
    this.#zones = all.map(({ values }) => new PoolZone(values));
    this.#sums = all.map(() => new PoolSums());
    this.#areas = neighbours([...series.keys()].map((zone) => sites.get(zone)));
  }

  /** Takes note of every hour that is over at `now` (seconds since 1970). */
  advance(now: number): void {
    const known = this.#hoursOver(now);
    while (this.#known < known) this.#takeHour();
  }

  /** The coming hours of a zone as they looked at `now`, up to which it has been advanced; null where none was over. */
  valuesAt(zone: string, now: number): Float64Array | null {
    const known = this.#hoursOver(now);
    const at = this.#index.get(zone) ?? -1;
    const one = this.#zones[at];
    const weights = this.#learned[Math.floor((known - 1) / WEEK)]?.[at];
    if (one === undefined || weights === undefined) return null;
    const row = this.#row;
    one.describeThen(known, row);
    const then = Float64Array.from(
      { length: BUCKETS },
      (_, bucket) =>
        dot(weights, bucket * POOL_FEATURES, row, BEFORE) + dot(weights, bucket * POOL_FEATURES, row, AFTER),
    );
    const values = new Float64Array(HORIZON_HOURS);
    for (let lead = 1; lead <= HORIZON_HOURS; lead++) {
      const from = one.describeTarget(known - 1 + lead, Math.ceil(lead / DAY), row);
      const bucket = BUCKET_OF[lead] ?? 0;
      values[lead - 1] = Math.max(0, from + (then[bucket] ?? 0) + dot(weights, bucket * POOL_FEATURES, row, TARGET));
    }
    return values;
  }

  #hoursOver(now: number): number {
    return Math.min(Math.max(0, Math.floor((now - this.#start) / HOUR_SECONDS)), this.#hours);
  }

  #takeHour(): void {
    const hour = this.#known;
    if (hour % WEEK === 0) this.#learned.push(learnWeights(this.#sums));
    for (const [at, zone] of this.#zones.entries()) {
      const sums = this.#sums[at];
      if (sums !== undefined) this.#observe(zone, sums, hour);
    }
    for (const zone of this.#zones) zone.take();
    for (const [at, zone] of this.#zones.entries()) zone.keep(this.#zones, this.#areas[at] ?? []);
    this.#known = hour + 1;
  }

  /** What would have been said about `hour` by one lead of each bucket, each day another, and how it came. */
  #observe(zone: PoolZone, sums: PoolSums, hour: number): void {
    const row = this.#row;
    const day = Math.floor(hour / DAY);
    const wanted = zone.data.values[hour] ?? 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const first = firstHourOf(bucket);
      const lead = first + (day % (lastHourOf(bucket) - first + 1));
      const known = hour + 1 - lead;
      if (known < LEARNED_FROM) return;
      if (lead > LONG_LEAD && (hour + day) % 2 === 1) return;
      zone.describeThen(known, row);
      const from = zone.describeTarget(hour, Math.ceil(lead / DAY), row);
      sums.observe(bucket, row, { wanted: wanted - from, usual: zone.usual[known] ?? 1 });
    }
  }
}

/** The figures of a row that are the same for all hours to come, and those that tell of one of them. */
const BEFORE: Part = [0, TARGET_FROM];
const TARGET: Part = [TARGET_FROM, TARGET_TO];
const AFTER: Part = [TARGET_TO, POOL_FEATURES];
