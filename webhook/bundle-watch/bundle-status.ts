import type { Tarball } from "../../src/bundle/open-source.ts";
import type { BundleIdentity } from "../decisions/messages.ts";
import type { DecisionThread } from "../decisions/start-thread.ts";
import type { Quarantined } from "./quarantine.ts";

/** One digest and since when, RFC 3339. */
export interface Fact {
  digest: string;
  at: string;
}

/** Where an active bundle came from: the last good one on disk answers until the registry does. */
export type Origin = "registry" | "disk";

/** A bundle that decides. */
export interface Active {
  thread: DecisionThread;
  tarball: Tarball;
  bundle: BundleIdentity;
  from: Origin;
  at: string;
}

/** Three separate facts: what was tried, what could be loaded, and what decides. */
export interface BundleStatus {
  attempted: Fact | null;
  loaded: Fact | null;
  active: (Fact & { bundle: BundleIdentity; from: Origin; signers: string[] }) | null;
  quarantined: Quarantined[];
  /** When the registry was last heard of; null for never. */
  contactedAt: string | null;
  stale: boolean;
  /** Why the reference's bundle is not the active one; null where it is. */
  lastError: string | null;
}

export function describeActive({ tarball, bundle, from, at }: Active): NonNullable<BundleStatus["active"]> {
  return { digest: tarball.digest, at, bundle, from, signers: [...tarball.signers, ...bundle.signers] };
}
