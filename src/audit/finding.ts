import type { Kind } from "../model/names.ts";
import type { PlaceKey } from "../model/workload.ts";

/** In the order of their urgency. */
export const VERDICTS = ["deny", "undecided", "move", "move-on-recreate", "stay"] as const;

/**
 * What today's bundle says of an object that is there: `deny` (it would be refused), `undecided` (nobody decided it), `move`
 * (it waits for its start, and the controller will move it), `move-on-recreate` (it runs, and created again it would emit less by
 * more than the threshold, which is a person's choice), or `stay`.
 */
export type Verdict = (typeof VERDICTS)[number];

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
  /** Where it would land; null unless it would be moved. */
  to: PlaceKey | null;
  /** Grams of CO2e that the move would save, over the (rest of the) run or per hour of a long-running machine; null where unknown. */
  gramsSaved: number | null;
  /** False where it waits for its start. */
  started: boolean;
}
