import type { ErrorCode, LandfallError } from "../../errors.ts";
import { Unverified } from "./take-verified.ts";

/** Why a bundle is not used. */
export interface Quarantined {
  digest: string;
  code: ErrorCode;
  /** The problem and the remedy, in one line. */
  reason: string;
  /** RFC 3339 */
  at: string;
}

export interface Quarantine {
  /** Whether a bundle is known to fail again. */
  holds(digest: string): boolean;
  /** Records why a bundle is not used. */
  put(digest: string, error: LandfallError, at: Date): void;
  /** Removes a bundle that is used after all. */
  release(digest: string): void;
  /** Allows bundles that were incompatible with others to be tried again; they stay listed until they are used. */
  reconsider(): void;
  list(): Quarantined[];
}

/** Errors of verified content: the same bytes would fail again. All others are tried again. */
const FINAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "BUNDLE_UNREADABLE",
  "BUNDLE_UNSAFE",
  "BUNDLE_LIMIT",
  "BUNDLE_TAMPERED",
  "BUNDLE_SIGNATURE",
  "BUNDLE_NO_ENTRYPOINT",
  "BUNDLE_DATA",
  "BUNDLE_PROBE",
  "BUNDLE_SMOKE",
  "BUNDLE_SLOW",
  "BUNDLE_LOOPS",
  "BUNDLE_CANARY",
  "BUNDLE_LOOSER",
  "BUNDLE_ROOTS",
  "BUNDLE_NAME",
  "BUNDLE_PACKAGE",
  "POL_SETTINGS",
]);

/** Errors that can depend on other bundles. */
const WITH_OTHERS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "BUNDLE_ROOTS",
  "BUNDLE_DATA",
  "BUNDLE_SMOKE",
  "BUNDLE_CANARY",
  "BUNDLE_LOOSER",
]);

const MOST = 50;

/** Rejected bundles with their reasons, newest last. */
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
      if (FINAL.has(error.code) && !(error instanceof Unverified)) unusable.add(digest);
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
