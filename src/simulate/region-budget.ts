import { DAY_SECONDS } from "../model/time.ts";
import type { PlaceKey } from "../model/workload.ts";
import { type CostRow, priceRegions } from "./price-regions.ts";

/** How many of the last jobs prices are learned from. */
const MEMORY = 400;
const ROUNDS = 40;

/**
 * The limit that no region may run more than `share` of all load: a budget of vCPU·h per region, set beforehand as whoever
 * plans a platform's capacity does, and the same that the bound keeps to. What the jobs to come will be nobody knows:
 * prices, learned from the last ones, pace the budget and keep room for those that have nowhere else to go.
 */
export class RegionBudget {
  readonly #share: number;
  /** vCPU·h that one region may run in all. */
  readonly #limit: number;
  readonly #loads = new Map<PlaceKey, number>();
  #total = 0;
  #rows: CostRow[] = [];
  #prices = new Map<PlaceKey, number>();
  #pricedAt = Number.NEGATIVE_INFINITY;

  /** `planned`: vCPU·h that all regions together will run. */
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

  /** The places of `places` that have room; where none has, the one that is used least. */
  withHeadroom(places: readonly PlaceKey[], load: number): Set<PlaceKey> {
    const free = places.filter((place) => (this.#loads.get(place) ?? 0) + load <= this.#limit);
    if (free.length > 0) return new Set(free);
    const least = Math.min(...places.map((place) => this.#loads.get(place) ?? 0));
    return new Set(places.filter((place) => (this.#loads.get(place) ?? 0) <= least));
  }

  /** Grams per vCPU·h that a place costs more because it is in demand. */
  priceOf(place: PlaceKey): number {
    return this.#prices.get(place) ?? 0;
  }

  /** Learns from what a job would have cost where, once a day. */
  learn(row: CostRow, nowSeconds: number): void {
    this.#rows.push(row);
    if (nowSeconds - this.#pricedAt < DAY_SECONDS) return;
    this.#pricedAt = nowSeconds;
    this.#rows = this.#rows.slice(-MEMORY);
    const load = this.#rows.reduce((sum, { load: one }) => sum + one, 0);
    const limits = new Map<PlaceKey, number>();
    for (const place of new Set(this.#rows.flatMap(({ places }) => places))) {
      // A region that ran less than its share up to now may run more of what comes, and the other way round.
      const spare = this.#share * this.#total - (this.#loads.get(place) ?? 0);
      const wanted = this.#share * load + spare;
      limits.set(place, Math.min(2 * this.#share * load, Math.max(0.5 * this.#share * load, wanted)));
    }
    this.#prices = priceRegions(this.#rows, limits, { rounds: ROUNDS, from: this.#prices }).prices;
  }
}
