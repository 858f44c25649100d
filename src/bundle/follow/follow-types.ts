import type { BundleStore } from "../bundle-store.ts";
import type { BundleSource, Tarball } from "../open-source.ts";
import type { Rollout } from "../read-settings.ts";
import type { Origin } from "./bundle-set.ts";
import type { Quarantined } from "./quarantine.ts";
import type { ReleaseStatus } from "./version-gate.ts";

/** A digest and its time, RFC 3339. */
export interface Fact {
  digest: string;
  at: string;
}

export type FollowEvent =
  | "bundle not used"
  | "bundle not kept on disk"
  | "highest version unknown"
  | "registry unavailable"
  | "bundle without version or expiry"
  | "bundle without channel";

/** The status of a followed reference. */
export interface FollowStatus extends ReleaseStatus {
  attempted: Fact | null;
  loaded: Fact | null;
  quarantined: Quarantined[];
  /** When the registry last answered with a bundle that is active or correctly signed; null for never. */
  contactedAt: string | null;
  stale: boolean;
  /** Why the reference's bundle is not active; null if it is. */
  lastError: string | null;
}

export interface FollowOptions extends Pick<Rollout, "stale" | "expired"> {
  /** Null: the registry is only asked by `poll`. */
  poll: Rollout["poll"] | null;
  source: BundleSource;
  store: BundleStore;
  /** Awaited before anything is read. */
  after: Promise<unknown>;
  /** Loads, tests and activates a tarball. Throws if it is not usable. */
  use: (tarball: Tarball, from: Origin) => Promise<void>;
  /** The active tarball of this reference; null for none. */
  used: () => Tarball | null;
  onEvent: (event: FollowEvent, fields: Record<string, unknown>) => void;
  /** Ms since 1970. */
  nowMs: () => number;
  /** 0 to 1 */
  random: () => number;
}
