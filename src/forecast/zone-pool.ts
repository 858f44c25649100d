import type { HourlySeries } from "../model/places/intensity.ts";
import { HOUR_SECONDS, WEEK_HOURS } from "../model/time.ts";
import { neighbours, type Site } from "./neighbours.ts";
import { PoolObserver } from "./pool-observer.ts";
import { learnWeights } from "./pool-weights.ts";

/**
 * A forecast of many zones that learn from each other: ridge regression over all zones, corrected by a zone's own
 * hours, once a week. Features include the last hours of neighbours, mainly to the west, where most of Europe's and
 * America's weather comes from. It reads the hours one after the other and keeps the weights of each week, so that
 * every earlier forecast can be reproduced.
 */
export class ZonePool {
  readonly #start: number;
  readonly #hours: number;
  readonly #index: ReadonlyMap<string, number>;
  readonly #observer: PoolObserver;
  /** By week: the weights learned before it, by zone. */
  readonly #learned: Float64Array[][] = [];

  /** All `series` begin at the same hour. */
  constructor(series: ReadonlyMap<string, HourlySeries>, sites: ReadonlyMap<string, Site>) {
    const all = [...series.values()];
    this.#start = all[0]?.start ?? 0;
    this.#hours = Math.min(...all.map(({ values }) => values.length));
    this.#index = new Map([...series.keys()].map((zone, at) => [zone, at]));
    const areas = neighbours([...series.keys()].map((zone) => sites.get(zone)));
    this.#observer = new PoolObserver(
      all.map(({ values }) => values),
      areas,
    );
  }

  /** Reads every hour that has ended at `nowSeconds` (seconds since 1970). */
  advance(nowSeconds: number): void {
    const observer = this.#observer;
    const known = this.#hoursOver(nowSeconds);
    while (observer.known < known) {
      if (observer.known % WEEK_HOURS === 0) this.#learned.push(learnWeights(observer.sums));
      observer.takeHour();
    }
  }

  /** The forecast of a zone made at `nowSeconds`, up to which the pool has been advanced; null if no hour had ended. */
  valuesAt(zone: string, nowSeconds: number): Float64Array | null {
    const known = this.#hoursOver(nowSeconds);
    const at = this.#index.get(zone) ?? -1;
    const weights = this.#learned[Math.floor((known - 1) / WEEK_HOURS)]?.[at];
    return weights === undefined ? null : (this.#observer.zones[at]?.forecast(known, weights) ?? null);
  }

  #hoursOver(nowSeconds: number): number {
    return Math.min(Math.max(0, Math.floor((nowSeconds - this.#start) / HOUR_SECONDS)), this.#hours);
  }
}
