import type { Kind } from "../model/names.ts";
import type { PlaceKey } from "../model/workload.ts";

/** In order of urgency. */
export const VERDICTS = ["deny", "undecided", "move", "move-on-recreate", "stay"] as const;

/**
 * The present bundle's verdict on an existing object: `deny` (it would be denied), `undecided` (it has no decision),
 * `move` (it waits for its start, and the controller will move it), `move-on-recreate` (it runs, and re-creating it
 * would save more than the threshold, which a person must decide), or `stay`.
 */
export type Verdict = (typeof VERDICTS)[number];

export interface Finding {
  kind: Kind;
  namespace: string;
  name: string;
  verdict: Verdict;
  /** Codes of the denials, each once. */
  codes: string[];
  /** The first denial, or the reason of a move; empty otherwise. */
  message: string;
  /** Its place; null if nothing is decided. */
  place: PlaceKey | null;
  /** The place that would be chosen; null unless it would move. */
  to: PlaceKey | null;
  /**
   * Grams of CO2e that the move would save, over the (rest of the) run or per hour of a long-running machine; null if
   * unknown.
   */
  gramsSaved: number | null;
  /** False if it waits for its start. */
  started: boolean;
}
