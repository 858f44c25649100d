import { LIST_LAG_MS } from "../api/inferred.ts";
import type { Attempts } from "../types.ts";
import type { Create } from "./step.ts";

/** When what was looked at was asked for, and since when this operator runs: ms since 1970. */
export interface Moment {
  /** Of the oldest list that the decision uses. */
  readonly listedAt: number;
  /** A call of the operator before this one may have gone out as late as that, whatever time it noted. */
  readonly startedAt: number;
}

/** Under what an attempt is remembered: a machine and its network may have one name. */
export const attemptKey = (what: Create["what"], name: string): string =>
  `${what === "image" || what === "cloud-init" ? "volume" : what}/${name}`;

/** Whether something that is in no list may still exist: its create was tried, and lists follow late. */
export function isPending(key: string, attempts: Attempts, { listedAt, startedAt }: Moment): boolean {
  const attempt = attempts[key];
  if (attempt === undefined) return false;
  return listedAt < Math.max(Date.parse(attempt), startedAt) + LIST_LAG_MS;
}

/** `seen` are keys. Attempts whose result is not in a list, and may still come. */
export function openAttempts(attempts: Attempts, seen: readonly string[], moment: Moment): Attempts {
  return Object.fromEntries(
    Object.entries(attempts).filter(([key]) => !seen.includes(key) && isPending(key, attempts, moment)),
  );
}
