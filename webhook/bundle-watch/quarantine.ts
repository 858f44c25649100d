import type { ErrorCode, LandfallError } from "../../src/errors.ts";

/** Why a bundle is not used. */
export interface Quarantined {
  digest: string;
  code: ErrorCode;
  /** What is wrong and what to do about it, in one line. */
  reason: string;
  /** RFC 3339 */
  at: string;
}

export interface Quarantine {
  /** Whether a bundle is known not to be worth another try. */
  holds(digest: string): boolean;
  /** Remembers why it is not used. */
  put(digest: string, error: LandfallError, at: Date): void;
  /** It was used after all. */
  release(digest: string): void;
  list(): Quarantined[];
}

/** These say something about the bytes themselves: the same bytes would fail again. All others are tried at the next poll. */
const FINAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "BUNDLE_UNREADABLE",
  "BUNDLE_UNSAFE",
  "BUNDLE_LIMIT",
  "BUNDLE_NO_ENTRYPOINT",
  "BUNDLE_DATA",
  "BUNDLE_PROBE",
  "BUNDLE_SMOKE",
  "BUNDLE_SLOW",
  "BUNDLE_LOOPS",
  "BUNDLE_CANARY",
]);

const MOST = 50;

/** Bundles that are not used, the latest last, and why. */
export function openQuarantine(): Quarantine {
  const held = new Map<string, Quarantined>();
  return {
    holds: (digest) => {
      const entry = held.get(digest);
      return entry !== undefined && FINAL.has(entry.code);
    },
    put: (digest, error, at) => {
      held.delete(digest);
      held.set(digest, { digest, code: error.code, reason: error.line, at: at.toISOString() });
      const [oldest] = held.keys();
      if (held.size > MOST && oldest !== undefined) held.delete(oldest);
    },
    release: (digest) => {
      held.delete(digest);
    },
    list: () => [...held.values()],
  };
}
