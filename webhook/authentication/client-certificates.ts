/** So long before the latest one was shown, in ms, a certificate was shown lately. */
const LATELY_MS = 3_600_000;

export interface ClientCertificates {
  /** A request came with a certificate that is valid until `end`, in ms since 1970; NaN if its time cannot be read. */
  saw(end: number): void;
  /** Until when those that were shown lately are all valid, in ms since 1970; null if none was shown. */
  firstEnd(): number | null;
}

/** Follows until when the certificates of the API servers are valid. Each of several API servers has its own. */
export function followClientCertificates(elapsedMs: () => number): ClientCertificates {
  /** When a certificate with this end was shown last. */
  const shown = new Map<number, number>();
  return {
    saw(end) {
      if (!Number.isNaN(end)) shown.set(end, elapsedMs());
    },
    firstEnd() {
      const latest = Math.max(...shown.values());
      for (const [end, at] of shown) if (latest - at > LATELY_MS) shown.delete(end);
      return shown.size === 0 ? null : Math.min(...shown.keys());
    },
  };
}
