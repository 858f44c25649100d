import type { PlaceKey } from "../model/workload.ts";

/** Cost of one job by place. */
export interface CostRow {
  /** vCPU·h */
  load: number;
  places: readonly PlaceKey[];
  /** Grams, in the order of `places`. */
  costs: Float64Array;
}

export interface RegionPrices {
  /** Surcharge of a region in grams per vCPU·h, because of competing demand. */
  prices: Map<PlaceKey, number>;
  /** Grams: lower bound of every assignment that keeps the limits. */
  bound: number;
}

/** The cheapest place, with the regions' prices included. */
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
  /** Initial prices. */
  from?: ReadonlyMap<PlaceKey, number>;
}

/**
 * Prices of regions under load limits, by subgradient steps on the Lagrangian dual of the assignment problem: the price
 * of an overbooked region rises, that of one with headroom falls. By weak duality, the dual's value under any prices is
 * a lower bound of the best assignment, so the greatest value found is a proven bound.
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
