import { LIST_LAG_MS } from "../api/inferred.ts";
import type { Attempts } from "../types.ts";
import type { Create } from "./step.ts";

/** Age of the lists and of this operator process: ms since 1970. */
export interface Moment {
  /** Request time of the oldest list that the decision uses. */
  readonly listedAt: number;
  /** Start of this process. A call of an earlier process may have been sent until then, whatever time it recorded. */
  readonly startedAt: number;
}

/** Key of an attempt: a machine and its network may have the same name. */
export const attemptKey = (what: Create["what"], name: string): string =>
  `${what === "image" || what === "cloud-init" ? "volume" : what}/${name}`;

/** The record of an attempt in progress: its call may be sent at any time while this process lives. */
export const begun = (nowMs: number): string => new Date(nowMs).toISOString();

/**
 * The record of an attempt whose call or process has ended. Its time has four decimals; that of an attempt in progress
 * has three. From this, the next process knows that no call was sent as late as its own start, so a series of crashes
 * shorter than the lag of the lists still makes progress.
 */
export const over = (nowMs: number): string => begun(nowMs).replace(/Z$/, "0Z");

const isOver = (attempt: string): boolean => /\.\d{4}Z$/.test(attempt);

/** The latest time at which the call may have been sent, in ms since 1970. */
const latest = (attempt: string, startedAt: number): number =>
  isOver(attempt) ? Date.parse(attempt) : Math.max(Date.parse(attempt), startedAt);

/** Whether a resource that is in no list may still exist: its create was attempted, and lists lag. */
export function isPending(key: string, attempts: Attempts, { listedAt, startedAt }: Moment): boolean {
  const attempt = attempts[key];
  return attempt !== undefined && listedAt < latest(attempt, startedAt) + LIST_LAG_MS;
}

/**
 * Attempts that may still produce a resource. `seen` are the keys in the lists. Attempts of earlier processes have
 * ended.
 */
export function openAttempts(attempts: Attempts, seen: readonly string[], moment: Moment): Attempts {
  const { startedAt } = moment;
  return Object.fromEntries(
    Object.entries(attempts)
      .filter(([key]) => !seen.includes(key) && isPending(key, attempts, moment))
      .map(([key, attempt]) => [key, Date.parse(attempt) < startedAt ? over(latest(attempt, startedAt)) : attempt]),
  );
}
