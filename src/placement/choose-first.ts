import { sha256 } from "../model/sha256.ts";
import type { LoadTable } from "../model/load.ts";
import { HOUR_SECONDS } from "../model/time.ts";
import type { PlaceKey } from "../model/workload.ts";

/** A number in (0, 1) that follows from the text alone. */
function fractionOf(text: string): number {
  return (Number.parseInt(sha256(text).slice(0, 12), 16) + 1) / (2 ** 48 + 2);
}

/**
 * Which of several equals a seed takes: weighted rendezvous hashing, so that over many seeds each is taken in proportion
 * to its weight (> 0), and one that comes or goes changes only the choices that concern it. The index in `names`.
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
export function chooseFirst<Place extends Ranked>(ranked: Place[], { load, seed, tolerance = 0 }: TieBreak): Place[] {
  const count = seed === undefined || (ranked[0]?.score ?? 0) <= 0 ? 1 : nearTies(ranked, tolerance);
  if (seed === undefined || count < 2) return ranked;
  const near = ranked.slice(0, count);
  const names = near.map(({ candidate }) => candidate.place);
  const [first] = ranked.splice(breakTie(seed, names, weights(near, load)), 1);
  return first === undefined ? ranked : [first, ...ranked];
}
