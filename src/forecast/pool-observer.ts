import { DAY_HOURS } from "../model/time.ts";
import { BUCKETS, firstHourOf, lastHourOf } from "./lead-buckets.ts";
import { PoolSums } from "./pool-weights.ts";
import { POOL_FEATURES, PoolZone } from "./pool-zone.ts";

/** Nothing is learned from forecasts made with less than this behind them. */
const LEARNED_FROM = 336;
/** Leads of half a day and more are learned from every second hour, other ones from one day to the next. */
const LONG_LEAD = 12;

/** Looks at the hours of many zones one after the other and keeps what each of them teaches. */
export class PoolObserver {
  readonly zones: readonly PoolZone[];
  readonly sums: readonly PoolSums[];
  readonly #areas: readonly (readonly Float64Array[])[];
  readonly #row = new Float64Array(POOL_FEATURES);
  #known = 0;

  /** `series`: the hours of each zone from the same first one on. `areas`: of neighbours.ts, none where nobody has neighbours. */
  constructor(series: readonly Float64Array[], areas: readonly (readonly Float64Array[])[]) {
    this.zones = series.map((values) => new PoolZone(values));
    this.sums = series.map(() => new PoolSums());
    this.#areas = areas;
  }

  /** How many hours it has seen. */
  get known(): number {
    return this.#known;
  }

  /** Takes note of one more hour of every zone. */
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

  /** What would have been said about `hour` by one lead of each bucket, each day another, and how it came. */
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
