/** In order of urgency. */
export const VERDICTS = ["deny", "undecided", "move", "move-on-recreate", "stay"] as const;

/**
 * The present bundle's verdict on an existing object: `deny` (it would be denied), `undecided` (it has no decision),
 * `move` (it waits for its start, and the controller will move it), `move-on-recreate` (it runs, and re-creating it
 * would save more than the threshold, which a person must decide), or `stay`.
 */
export type Verdict = (typeof VERDICTS)[number];
