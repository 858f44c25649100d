import { sha256 } from "../model/sha256.ts";
import type { LoadTable } from "../model/places/load.ts";
import { HOUR_SECONDS } from "../model/time.ts";
import type { PlaceKey } from "../model/workload.ts";

/** A number in (0, 1), derived from the text alone. */
function fractionOf(text: string): number {
  return (Number.parseInt(sha256(text).slice(0, 12), 16) + 1) / (2 ** 48 + 2);
}

/**
 * Breaks a tie by weighted rendezvous hashing: over many seeds, each name is chosen in proportion to its weight (> 0),
 * and an added or removed name changes only the choices that involve it. Returns an index of `names`.
 */
function breakTie(seed: string, names: readonly string[], weights: readonly number[]): number {
  let chosen = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, name] of names.entries()) {
    const draw = -Math.log(fractionOf(`${seed}\n${name}`)) / (weights[index] ?? 1);
    if (draw < least) [chosen, least] = [index, draw];
  }
  return chosen;
}

interface Ranked {
  candidate: { place: PlaceKey };
  /** Seconds since 1970. */
  start: number;
  /** Lower is better. */
  score: number;
}

interface TieBreak {
  load?: LoadTable;
  seed?: string;
  tolerance?: number;
}

/** How many of the best are within the tolerance. */
function nearTies(ranked: readonly Ranked[], tolerance: number): number {
  const limit = (ranked[0]?.score ?? 0) * (1 + tolerance);
  const end = ranked.findIndex(({ score }) => score > limit);
  return end === -1 ? ranked.length : end;
}

/**
 * A place with twice the mean load of the near-ties is chosen a third less often than one with the mean load; an empty
 * place twice as often.
 */
function weights(near: readonly Ranked[], load: LoadTable | undefined): number[] {
  const vcpus = near.map(({ candidate, start }) => load?.at(candidate.place, Math.floor(start / HOUR_SECONDS)) ?? 0);
  const mean = vcpus.reduce((sum, value) => sum + value, 0) / vcpus.length;
  return vcpus.map((value) => (mean === 0 ? 1 : 1 / (1 + value / mean)));
}

/**
 * Moves the near-tie that the seed chooses to the front. If all scores are 0, the objective expresses no preference:
 * there are no near-ties and the order stays.
 */
export function chooseFirst<Place extends Ranked>(ranked: Place[], { load, seed, tolerance = 0 }: TieBreak): Place[] {
  const count = seed === undefined || (ranked[0]?.score ?? 0) <= 0 ? 1 : nearTies(ranked, tolerance);
  if (seed === undefined || count < 2) return ranked;
  const near = ranked.slice(0, count);
  const names = near.map(({ candidate }) => candidate.place);
  const [first] = ranked.splice(breakTie(seed, names, weights(near, load)), 1);
  return first === undefined ? ranked : [first, ...ranked];
}
