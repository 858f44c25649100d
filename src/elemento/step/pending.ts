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

/** An attempt that begins: its call may go out at any time from then on, as long as this operator lives. */
export const begun = (nowMs: number): string => new Date(nowMs).toISOString();

/**
 * An attempt whose call is over, or whose operator is. The time has four digits after its point, that of one under way has
 * three: so the next operator knows that it need not reckon with a call as late as its own start, and operators that are ended
 * one after the other before a list has had time to show anything still come further.
 */
export const over = (nowMs: number): string => begun(nowMs).replace(/Z$/, "0Z");

const isOver = (attempt: string): boolean => /\.\d{4}Z$/.test(attempt);

/** Ms since 1970 after which the call went out no more. */
const latest = (attempt: string, startedAt: number): number =>
  isOver(attempt) ? Date.parse(attempt) : Math.max(Date.parse(attempt), startedAt);

/** Whether something that is in no list may still exist: its create was tried, and lists follow late. */
export function isPending(key: string, attempts: Attempts, { listedAt, startedAt }: Moment): boolean {
  const attempt = attempts[key];
  return attempt !== undefined && listedAt < latest(attempt, startedAt) + LIST_LAG_MS;
}

/** `seen` are keys. Attempts whose result is not in a list, and may still come; those of an operator before this are over. */
export function openAttempts(attempts: Attempts, seen: readonly string[], moment: Moment): Attempts {
  const { startedAt } = moment;
  return Object.fromEntries(
    Object.entries(attempts)
      .filter(([key]) => !seen.includes(key) && isPending(key, attempts, moment))
      .map(([key, attempt]) => [key, Date.parse(attempt) < startedAt ? over(latest(attempt, startedAt)) : attempt]),
  );
}
