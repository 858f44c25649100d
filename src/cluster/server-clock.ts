/** The time of the API server. It does not depend on the wall clock of this machine. */
export interface ServerClock {
  /** Seconds since 1970; null before the first answer. At most a second and the answer's way behind, and never ahead. */
  nowSeconds(): number | null;
  /** Takes the `Date` header of an answer. */
  saw(date: string | string[] | undefined): void;
}

/** A header that is this far behind the estimate, in ms, shows that the API server's own clock was set back. */
const SET_BACK_MS = 2000;

/**
 * The API server's clock, from the `Date` headers of its answers and the time that has passed since, by a clock that is
 * never set (`elapsedMs`). A header is cut to whole seconds and arrives late, so that the latest estimate is the best one.
 */
export function createServerClock(elapsedMs: () => number): ServerClock {
  /** The API server's time minus the elapsed time, in ms. */
  let offset: number | null = null;
  return {
    nowSeconds: () => (offset === null ? null : Math.floor((offset + elapsedMs()) / 1000)),
    saw(date) {
      const serverMs = typeof date === "string" ? Date.parse(date) : NaN;
      if (Number.isNaN(serverMs)) return;
      const seen = serverMs - elapsedMs();
      if (offset === null || seen > offset || seen < offset - SET_BACK_MS) offset = seen;
    },
  };
}
