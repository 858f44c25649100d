import type { ErrorCode, ErrorParams } from "../../src/errors.ts";
import type { ClusterEvent } from "../../src/facts/cluster-facts.ts";
import type { Reply, ReviewPath } from "../answer-review.ts";

/** What the thread is started with. */
export interface ThreadData {
  /** The bundle's tarball. */
  bytes: Uint8Array;
  ref: string;
  /** Secret of the seals. */
  sealKey: Uint8Array;
  /** What is known of the cluster so far. */
  events: readonly ClusterEvent[];
}

/** A bundle as its thread describes it. */
export interface BundleIdentity {
  ref: string;
  /** `sha256:…` of the tarball. */
  digest: string;
  revision: string;
}

export type ToThread =
  { type: "ask"; id: number; path: ReviewPath; body: string } | { type: "event"; event: ClusterEvent };

export type FromThread =
  | { type: "ready"; bundle: BundleIdentity }
  | { type: "failed"; code: ErrorCode; params: ErrorParams }
  | { type: "reply"; id: number; reply: Reply; reserved: ClusterEvent | null };
