import type { Kind } from "../model/names.ts";
import type { PlaceKey } from "../model/workload.ts";
import type { Verdict } from "../model/verdict.ts";

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
