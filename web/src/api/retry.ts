import type { Problem } from "../../../src/console/contract/problem.ts";

type Kind = Problem["kind"] | "gone";

/** After these problems a query is repeated on its own; others stay until someone acts, `session` until this tab is signed in. */
const PASSING: readonly Kind[] = ["away", "busy", "gone"];
const LONGEST_MS = 10_000;

export const isPassing = (kind: Kind): boolean => PASSING.includes(kind);

/** The next try of a query that failed so many times, in ms from now. */
export const retryMs = (failures: number): number => Math.min(LONGEST_MS, 1000 * 2 ** failures);

/** When to ask again after a problem, in ms from now: not before the API server wants it; null if it does not pass on its own. */
export const againMs = (
  { kind, againSeconds }: { kind: Kind; againSeconds: number | null },
  failures: number,
): number | null => (isPassing(kind) ? Math.max(retryMs(failures), 1000 * (againSeconds ?? 0)) : null);
