import type { PlaceKey } from "../model/workload.ts";

/** What one job costs where. */
export interface CostRow {
  /** vCPU·h */
  load: number;
  places: readonly PlaceKey[];
  /** Grams, in the order of `places`. */
  costs: Float64Array;
}

export interface RegionPrices {
  /** Grams per vCPU·h that a region costs more because others want it as well. */
  prices: Map<PlaceKey, number>;
  /** Grams: no assignment that keeps the limits costs less. */
  bound: number;
}

/** The place that is cheapest once its region's price is added. */
export function cheapest(row: CostRow, prices: ReadonlyMap<PlaceKey, number>): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let index = 0; index < row.places.length; index++) {
    const cost = (row.costs[index] ?? 0) + row.load * (prices.get(row.places[index] ?? "") ?? 0);
    if (cost < least) [least, best] = [cost, index];
  }
  return best;
}

interface Round {
  loads: Map<PlaceKey, number>;
  /** The dual function's value. */
  value: number;
}

function assign(rows: readonly CostRow[], limits: ReadonlyMap<PlaceKey, number>, prices: Map<PlaceKey, number>): Round {
  const loads = new Map<PlaceKey, number>();
  let value = 0;
  for (const row of rows) {
    const index = cheapest(row, prices);
    const place = row.places[index] ?? "";
    loads.set(place, (loads.get(place) ?? 0) + row.load);
    value += (row.costs[index] ?? 0) + row.load * (prices.get(place) ?? 0);
  }
  for (const [place, price] of prices) value -= price * (limits.get(place) ?? 0);
  return { loads, value };
}

export interface PricingOptions {
  rounds: number;
  /** Prices to begin with. */
  from?: ReadonlyMap<PlaceKey, number>;
}

/**
 * Prices of regions under limits of load, by subgradient steps on the Lagrangian dual of the assignment problem: a region
 * that more want than fit becomes dearer, one with room cheaper. By weak duality the dual's value is, for whatever prices,
 * at most what the best assignment costs, so the greatest one met is a proven bound.
 */
export function priceRegions(
  rows: readonly CostRow[],
  limits: ReadonlyMap<PlaceKey, number>,
  { rounds, from }: PricingOptions,
): RegionPrices {
  const prices = new Map([...limits.keys()].map((place) => [place, from?.get(place) ?? 0]));
  const total = rows.reduce((sum, row) => sum + row.load, 0);
  const typical = rows.reduce((sum, row) => sum + (row.costs[0] ?? 0), 0) / Math.max(total, 1e-9);
  let best: RegionPrices = { prices: new Map(prices), bound: Number.NEGATIVE_INFINITY };
  for (let round = 0; round < rounds; round++) {
    const { loads, value } = assign(rows, limits, prices);
    if (value > best.bound) best = { prices: new Map(prices), bound: value };
    const step = (typical * 4) / (1 + round / 4);
    for (const [place, limit] of limits) {
      const over = ((loads.get(place) ?? 0) - limit) / Math.max(total, 1e-9);
      prices.set(place, Math.max(0, (prices.get(place) ?? 0) + step * over));
    }
  }
  return best;
}
