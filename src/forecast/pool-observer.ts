import { DAY_HOURS } from "../model/time.ts";
import { BUCKETS, firstHourOf, lastHourOf } from "./lead-buckets.ts";
import { PoolSums } from "./pool-weights.ts";
import { POOL_FEATURES, PoolZone } from "./pool-zone.ts";

/** Hours of history that a forecast needs to be learned from. */
const LEARNED_FROM = 336;
/** Leads from half a day are sampled every second hour; other leads rotate from day to day. */
const LONG_LEAD = 12;

/** Reads the hours of many zones one after the other and collects training sums for each. */
export class PoolObserver {
  readonly zones: readonly PoolZone[];
  readonly sums: readonly PoolSums[];
  readonly #areas: readonly (readonly Float64Array[])[];
  readonly #row = new Float64Array(POOL_FEATURES);
  #known = 0;

  /** `series`: the hours of each zone from the same first hour. `areas`: from neighbours.ts, empty without neighbours. */
  constructor(series: readonly Float64Array[], areas: readonly (readonly Float64Array[])[]) {
    this.zones = series.map((values) => new PoolZone(values));
    this.sums = series.map(() => new PoolSums());
    this.#areas = areas;
  }

  /** How many hours have been read. */
  get known(): number {
    return this.#known;
  }

  /** Reads one more hour of every zone. */
  takeHour(): void {
    const hour = this.#known;
    for (const [at, zone] of this.zones.entries()) {
      const sums = this.sums[at];
      if (sums !== undefined) this.#observe(zone, sums, hour);
    }
    for (const zone of this.zones) zone.take();
    for (const [at, zone] of this.zones.entries()) zone.keep(this.zones, this.#areas[at] ?? []);
    this.#known = hour + 1;
  }

  /** Adds a sample for `hour` from one lead of each bucket, which changes daily. */
  #observe(zone: PoolZone, sums: PoolSums, hour: number): void {
    const row = this.#row;
    const day = Math.floor(hour / DAY_HOURS);
    const wanted = zone.data.values[hour] ?? 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const first = firstHourOf(bucket);
      const lead = first + (day % (lastHourOf(bucket) - first + 1));
      const known = hour + 1 - lead;
      if (known < LEARNED_FROM) return;
      if (lead > LONG_LEAD && (hour + day) % 2 === 1) return;
      zone.describeThen(known, row);
      const from = zone.describeTarget(hour, Math.ceil(lead / DAY_HOURS), row);
      sums.observe(bucket, row, { wanted: wanted - from, usual: zone.usual[known] ?? 1 });
    }
  }
}
