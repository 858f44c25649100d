import type { LoadTable } from "../model/load.ts";
import { HOUR_SECONDS } from "../model/time.ts";
import type { PlaceKey } from "../model/workload.ts";
import { breakTie } from "./break-tie.ts";

interface Ranked {
  candidate: { place: PlaceKey };
  /** Seconds since 1970. */
  start: number;
  /** Lower is better. */
  score: number;
}

interface SpreadQuestion {
  load?: LoadTable;
  seed?: string;
  tolerance?: number;
}

/** How many of the best are equal but for the tolerance. */
function nearTies(ranked: readonly Ranked[], tolerance: number): number {
  const limit = (ranked[0]?.score ?? 0) * (1 + tolerance);
  const end = ranked.findIndex(({ score }) => score > limit);
  return end === -1 ? ranked.length : end;
}

/** A place with twice the mean load of the near-ties is taken a third less often than one with the mean, an empty one twice as often. */
function weights(near: readonly Ranked[], load: LoadTable | undefined): number[] {
  const vcpus = near.map(({ candidate, start }) => load?.at(candidate.place, Math.floor(start / HOUR_SECONDS)) ?? 0);
  const mean = vcpus.reduce((sum, value) => sum + value, 0) / vcpus.length;
  return vcpus.map((value) => (mean === 0 ? 1 : 1 / (1 + value / mean)));
}

/**
 * The same places with the one that the seed takes among the near-ties of the best in front. Where the objective says
 * nothing (all scores are 0) there is no near-tie, only the order.
 */
export function chooseFirst<Place extends Ranked>(
  ranked: Place[],
  { load, seed, tolerance = 0 }: SpreadQuestion,
): Place[] {
  const count = seed === undefined || (ranked[0]?.score ?? 0) <= 0 ? 1 : nearTies(ranked, tolerance);
  if (seed === undefined || count < 2) return ranked;
  const near = ranked.slice(0, count);
  const names = near.map(({ candidate }) => candidate.place);
  const [first] = ranked.splice(breakTie(seed, names, weights(near, load)), 1);
  return first === undefined ? ranked : [first, ...ranked];
}
