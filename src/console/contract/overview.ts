import { count, figure, flag, limited, list, mapOf, type Of, parameters, record } from "./schema.ts";
import { ROW } from "./rows.ts";

export const OVERVIEW_QUERY = parameters({ namespace: limited(63) });

/** The decided sum and the one that it would be instead, over the objects for which both are known; `unknown`: the others. */
const COMPARED = record({ decided: figure, instead: figure, unknown: count });

/** The sum over the objects for which it is known, compared with an immediate start at the origin, and in the best place for it. */
const SUM = record({ decided: figure, unknown: count, origin: COMPARED, now: COMPARED });

/** Sums over runs with a duration, or over machines without an end. */
const FIGURES = record({ objects: count, grams: SUM, usd: SUM });

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
  /** Objects that fail, are overdue, or would be denied. */
  attention: list(ROW),
});
export type Overview = Of<typeof OVERVIEW>;
export type Figures = Of<typeof FIGURES>;
export type Sum = Of<typeof SUM>;
export type Compared = Of<typeof COMPARED>;
