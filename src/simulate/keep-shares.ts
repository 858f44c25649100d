import type { PlaceKey } from "../model/workload.ts";
import { cheapest, type CostRow } from "./price-regions.ts";

interface Move {
  row: number;
  to: number;
  /** Additional grams per vCPU·h. */
  loss: number;
}

interface State {
  rows: readonly CostRow[];
  limits: ReadonlyMap<PlaceKey, number>;
  loads: Map<PlaceKey, number>;
  chosen: number[];
}

/** Whether a region has headroom for this load. */
const fits = ({ loads, limits }: State, place: PlaceKey, load: number): boolean =>
  (loads.get(place) ?? 0) + load <= (limits.get(place) ?? 0);

/** The job's cheapest move to another place with headroom. */
function leastMove(state: State, index: number, row: CostRow): Move[] {
  const from = state.chosen[index] ?? 0;
  const possible = row.places.flatMap((place, to): Move[] =>
    to === from || !fits(state, place, row.load)
      ? []
      : [{ row: index, to, loss: ((row.costs[to] ?? 0) - (row.costs[from] ?? 0)) / row.load }],
  );
  const [least] = possible.sort((a, b) => a.loss - b.loss);
  return least === undefined ? [] : [least];
}

/** The cheapest move of every job in `place`, cheapest first. */
function moves(state: State, place: PlaceKey): Move[] {
  const inPlace = (row: CostRow, index: number): boolean => row.places[state.chosen[index] ?? 0] === place;
  return state.rows
    .flatMap((row, index) => (inPlace(row, index) ? leastMove(state, index, row) : []))
    .sort((a, b) => a.loss - b.loss);
}

function apply(state: State, row: CostRow, { row: index, to }: Move): void {
  const [from, target] = [row.places[state.chosen[index] ?? 0] ?? "", row.places[to] ?? ""];
  state.loads.set(from, (state.loads.get(from) ?? 0) - row.load);
  state.loads.set(target, (state.loads.get(target) ?? 0) + row.load);
  state.chosen[index] = to;
}

/** Moves jobs out of a region over its limit, cheapest moves first. */
function relieve(state: State, place: PlaceKey, limit: number): void {
  for (const move of moves(state, place)) {
    if ((state.loads.get(place) ?? 0) <= limit) return;
    const row = state.rows[move.row];
    if (row !== undefined && fits(state, row.places[move.to] ?? "", row.load)) apply(state, row, move);
  }
}

/**
 * Puts each job at its cheapest place under `prices`, then moves jobs out of regions over their limit. Returns one
 * index per row.
 */
export function keepShares(
  rows: readonly CostRow[],
  limits: ReadonlyMap<PlaceKey, number>,
  prices: ReadonlyMap<PlaceKey, number>,
): number[] {
  const chosen = rows.map((row) => cheapest(row, prices));
  const loads = new Map<PlaceKey, number>();
  rows.forEach((row, index) => {
    const place = row.places[chosen[index] ?? 0] ?? "";
    loads.set(place, (loads.get(place) ?? 0) + row.load);
  });
  const state = { rows, limits, loads, chosen };
  // Later rounds use the headroom that earlier ones created.
  for (let round = 0; round < 3; round++) for (const [place, limit] of limits) relieve(state, place, limit);
  return chosen;
}
