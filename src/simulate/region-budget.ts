import { DAY_SECONDS } from "../model/time.ts";
import type { PlaceKey } from "../model/workload.ts";
import { type CostRow, priceRegions } from "./price-regions.ts";

/** How many of the last jobs prices are learned from. */
const MEMORY = 400;
const ROUNDS = 40;

/**
 * Limits every region to `share` of all load: a budget of vCPU·h per region, fixed beforehand as in capacity planning,
 * and equal to the bound's limit. Future jobs are unknown, so prices learned from recent jobs pace the budget and keep
 * headroom for jobs that have no alternative.
 */
export class RegionBudget {
  readonly #share: number;
  /** Total vCPU·h that one region may run. */
  readonly #limit: number;
  readonly #loads = new Map<PlaceKey, number>();
  #total = 0;
  #rows: CostRow[] = [];
  #prices = new Map<PlaceKey, number>();
  #pricedAt = Number.NEGATIVE_INFINITY;

  /** `planned`: total vCPU·h of all regions. */
  constructor(share: number, planned: number) {
    this.#share = share;
    this.#limit = share * planned;
  }

  add(place: PlaceKey, load: number): void {
    this.#loads.set(place, (this.#loads.get(place) ?? 0) + load);
    this.#total += load;
  }

  remove(place: PlaceKey, load: number): void {
    this.add(place, -load);
  }

  /** The places of `places` with headroom; the least used one if none has any. */
  withHeadroom(places: readonly PlaceKey[], load: number): Set<PlaceKey> {
    const free = places.filter((place) => (this.#loads.get(place) ?? 0) + load <= this.#limit);
    if (free.length > 0) return new Set(free);
    const least = Math.min(...places.map((place) => this.#loads.get(place) ?? 0));
    return new Set(places.filter((place) => (this.#loads.get(place) ?? 0) <= least));
  }

  /** Surcharge of a place in grams per vCPU·h, because of its demand. */
  priceOf(place: PlaceKey): number {
    return this.#prices.get(place) ?? 0;
  }

  /** Updates the prices from a job's costs, once a day. */
  learn(row: CostRow, nowSeconds: number): void {
    this.#rows.push(row);
    if (nowSeconds - this.#pricedAt < DAY_SECONDS) return;
    this.#pricedAt = nowSeconds;
    this.#rows = this.#rows.slice(-MEMORY);
    const load = this.#rows.reduce((sum, { load: one }) => sum + one, 0);
    const limits = new Map<PlaceKey, number>();
    for (const place of new Set(this.#rows.flatMap(({ places }) => places))) {
      // A region below its share so far may run more of the coming load, and the other way round.
      const spare = this.#share * this.#total - (this.#loads.get(place) ?? 0);
      const wanted = this.#share * load + spare;
      limits.set(place, Math.min(2 * this.#share * load, Math.max(0.5 * this.#share * load, wanted)));
    }
    this.#prices = priceRegions(this.#rows, limits, { rounds: ROUNDS, from: this.#prices }).prices;
  }
}
