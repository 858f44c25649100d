import { sha256 } from "../model/sha256.ts";

/** A number in (0, 1) that follows from the text alone. */
function fractionOf(text: string): number {
  return (Number.parseInt(sha256(text).slice(0, 12), 16) + 1) / (2 ** 48 + 2);
}

/**
 * Which of several equals a seed takes: weighted rendezvous hashing, so that over many seeds each is taken in proportion
 * to its weight (> 0), and one that comes or goes changes only the choices that concern it. The index in `names`.
 */
export function breakTie(seed: string, names: readonly string[], weights: readonly number[]): number {
  let chosen = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, name] of names.entries()) {
    const draw = -Math.log(fractionOf(`${seed}\n${name}`)) / (weights[index] ?? 1);
    if (draw < least) [chosen, least] = [index, draw];
  }
  return chosen;
}
