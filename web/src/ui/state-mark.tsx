import type { ReactElement } from "react";
import type { State } from "../../../src/console/contract/rows.ts";
import { Icon } from "./icon.tsx";

/** The word of each state, and what it means. */
export const STATE_WORDS: Readonly<Record<State | "denied", { word: string; meaning: string }>> = {
  waiting: { word: "Waiting", meaning: "for its start, or paused" },
  starting: { word: "Starting", meaning: "its resources are being created" },
  running: { word: "Running", meaning: "all its resources are ready" },
  overdue: { word: "Overdue", meaning: "its run is over, and its machine is kept and paid for" },
  ending: { word: "Ending", meaning: "its resources are being deleted" },
  ended: { word: "Ended", meaning: "its run is over" },
  failing: { word: "Failing", meaning: "needs someone to act" },
  denied: { word: "Denied now", meaning: "the policies in force would deny it" },
};

/** A state as icon, word and colour. */
export const StateMark = ({ state }: { state: State | "denied" }): ReactElement => (
  <span className={`state state-${state}`}>
    <Icon name={state} />
    {STATE_WORDS[state].word}
  </span>
);
