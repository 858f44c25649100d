import { FEATURES } from "./features.ts";

/** A range of indices in a row; `to` is exclusive. */
export type Part = readonly [from: number, to: number];
const FEATURES_OF_AN_HOUR: Part = [0, FEATURES];

/** The dot product of a part of `row` (the features of features.ts if omitted) and the weights from `first`. */
export function dot(weights: Float64Array, first: number, row: Float64Array, part = FEATURES_OF_AN_HOUR): number {
  const [from, to] = part;
  let sum = 0;
  for (let at = from; at < to; at++) sum += (weights[first + at] ?? 0) * (row[at] ?? 0);
  return sum;
}
