/** The time of the API server. It does not depend on the wall clock of this machine. */
export interface ServerClock {
  /** Seconds since 1970; null before the first answer that is believed. At most a second and the answer's way behind, and never ahead. */
  nowSeconds(): number | null;
  /** Takes the `Date` header of an answer. */
  saw(date: string | string[] | undefined): void;
}

/** A header that is this far from the estimate, in ms, is of a clock that was set, or of another one. */
const JUMP_MS = 2000;
/** Time that is ahead is believed after so many answers in a row that agree, over so many ms. */
const [AGREEING, AGREEING_MS] = [3, 30_000];
/** The first time is believed after fewer ms: until then no run can be followed. */
const FIRST_MS = 5000;
/** The clock of this machine confirms an answer if it is this close, in ms. */
const LOCAL_MS = 120_000;

/** Answers in a row that say that the server's time is ahead of the estimate. */
interface Ahead {
  /** Of the first: the server's time minus the elapsed time, in ms. */
  first: number;
  answers: number;
  /** Elapsed ms at the first. */
  since: number;
}

/**
 * The API server's clock, from the `Date` headers of its answers and the time that has passed since, by a clock that is
 * never set (`elapsedMs`). A header is cut to whole seconds and arrives late, so that the latest estimate is the best one.
 *
 * One server or load balancer whose clock is ahead must not end runs, which cannot be taken back. Time that is ahead is believed immediately only if
 * this machine's clock agrees (`localMs`, since 1970), else if three answers agree for half a minute and none contradicts. Until
 * then the time is not known at a start. Without `localMs` the first answer is believed.
 */
export function createServerClock(elapsedMs: () => number, localMs?: () => number): ServerClock {
  /** The API server's time minus the elapsed time, in ms. */
  let offset: number | null = null;
  let ahead: Ahead | null = null;

  const isLocal = (serverMs: number): boolean => localMs !== undefined && Math.abs(serverMs - localMs()) <= LOCAL_MS;

  /** Whether an answer would move the time forth, or give it for the first time. */
  const isNew = (seen: number): boolean => (offset === null ? localMs !== undefined : seen > offset + JUMP_MS);

  /** Whether this answer and those before it agree for long enough. */
  function isConfirmed(seen: number, nowMs: number): boolean {
    if (ahead === null || Math.abs(seen - ahead.first) > JUMP_MS) ahead = { first: seen, answers: 0, since: nowMs };
    ahead = { ...ahead, answers: ahead.answers + 1 };
    return ahead.answers >= AGREEING && nowMs - ahead.since >= (offset === null ? FIRST_MS : AGREEING_MS);
  }

  return {
    nowSeconds: () => (offset === null ? null : Math.floor((offset + elapsedMs()) / 1000)),
    saw(date) {
      const serverMs = typeof date === "string" ? Date.parse(date) : NaN;
      if (Number.isNaN(serverMs)) return;
      const nowMs = elapsedMs();
      const seen = serverMs - nowMs;
      if (isNew(seen) && !isLocal(serverMs) && !isConfirmed(seen, nowMs)) return;
      ahead = null;
      if (offset === null || seen > offset || seen < offset - JUMP_MS) offset = seen;
    },
  };
}
