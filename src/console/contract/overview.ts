import { count, figure, flag, limited, list, mapOf, type Of, parameters, record } from "./schema.ts";
import { ROW } from "./rows.ts";

export const OVERVIEW_QUERY = parameters({ namespace: limited(63) });

/** Sums over runs with a duration whose figures are known, and over machines without an end. */
const FIGURES = record({
  objects: count,
  grams: figure,
  /** Grams less than an immediate start at the origin. Negative if it is more. */
  savedToOrigin: figure,
  /** Grams less than an immediate start in the best place for it. */
  savedByWaiting: figure,
  usd: figure,
  /** Objects whose figures are not known, and which are not in the sums. */
  unknown: count,
});

export const OVERVIEW = record({
  all: count,
  current: flag,
  /** State -> objects; `denied`: those that the policies in force would deny. */
  states: mapOf(count),
  /** False if the reports about the policies in force cannot be read. */
  audited: flag,
  /** Totals of the runs. */
  runs: FIGURES,
  /** Per hour, of machines without an end. */
  perHour: FIGURES,
  /** The next starts. */
  next: list(ROW),
  /** Objects that fail, or would be denied. */
  attention: list(ROW),
});
export type Overview = Of<typeof OVERVIEW>;
export type Figures = Of<typeof FIGURES>;
