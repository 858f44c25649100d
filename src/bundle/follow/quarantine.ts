import type { ErrorCode, LandfallError } from "../../errors.ts";

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
  /** What did not go together with other bundles is worth another try; it stays on the list until that came to something. */
  reconsider(): void;
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
  "BUNDLE_ROOTS",
  "BUNDLE_NAME",
  "POL_SETTINGS",
]);

/** Of these, some are about the bundle together with others. */
const WITH_OTHERS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "BUNDLE_ROOTS",
  "BUNDLE_DATA",
  "BUNDLE_SMOKE",
  "BUNDLE_CANARY",
]);

const MOST = 50;

/** Bundles that are not used, the latest last, and why. */
export function openQuarantine(): Quarantine {
  const held = new Map<string, Quarantined>();
  const unusable = new Set<string>();
  return {
    holds: (digest) => held.has(digest) && unusable.has(digest),
    reconsider: () => {
      for (const { digest, code } of held.values()) if (WITH_OTHERS.has(code)) unusable.delete(digest);
    },
    put: (digest, error, at) => {
      held.delete(digest);
      if (FINAL.has(error.code)) unusable.add(digest);
      else unusable.delete(digest);
      held.set(digest, { digest, code: error.code, reason: error.line, at: at.toISOString() });
      const [oldest] = held.keys();
      if (held.size <= MOST || oldest === undefined) return;
      held.delete(oldest);
      unusable.delete(oldest);
    },
    release: (digest) => {
      held.delete(digest);
      unusable.delete(digest);
    },
    list: () => [...held.values()],
  };
}
