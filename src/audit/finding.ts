import type { Kind } from "../model/names.ts";
import type { PlaceKey } from "../model/workload.ts";

/**
 * What today's bundle says of an object that is there: `deny` (it would be refused), `move` (it would land elsewhere, at less
 * than the threshold's share of the carbon), `stay`, or `undecided` (nobody decided it).
 */
export type Verdict = "deny" | "move" | "stay" | "undecided";

export interface Finding {
  kind: Kind;
  namespace: string;
  name: string;
  verdict: Verdict;
  /** Codes of the denials, each once. */
  codes: string[];
  /** The first denial, or why it would move; empty for the rest. */
  message: string;
  /** Where it is; null where nothing is decided. */
  place: PlaceKey | null;
  /** Where it would land; null unless it would move. */
  to: PlaceKey | null;
  /** Grams of CO2e that the move would save, over the run or per hour of a long-running machine; null where unknown. */
  gramsSaved: number | null;
  /** Whether it waits for its start and can still be moved; one that runs is moved only by creating it anew. */
  started: boolean;
}
