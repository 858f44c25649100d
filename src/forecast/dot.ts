import { FEATURES } from "./features.ts";

/** Places of a row, from the first to before the second. */
export type Part = readonly [from: number, to: number];
const FEATURES_OF_AN_HOUR: Part = [0, FEATURES];

/** The sum of the products of a part of `row`, the figures of features.ts where it is left out, and the weights from `first` on. */
export function dot(weights: Float64Array, first: number, row: Float64Array, part = FEATURES_OF_AN_HOUR): number {
  const [from, to] = part;
  let sum = 0;
  for (let at = from; at < to; at++) sum += (weights[first + at] ?? 0) * (row[at] ?? 0);
  return sum;
}
