import type { KubernetesObject } from "../kubernetes.ts";
import type { PausingTimes } from "../pausing-times.ts";
import { parseTime } from "../time.ts";
import type { PlaceKey } from "../workload.ts";
import type { RunningSize } from "./system-secrets.ts";
import type { VerifiedDecision } from "./signature.ts";

/** An object is created within this time after its decision was signed, in seconds. Clocks may differ, so before it too. */
export const BINDING_SECONDS = 300;

/** `unbound`: nothing speaks against it, but no controller has bound the decision to the object yet. */
export type Standing = "own" | "unbound" | "foreign";

/** `none`: no run is recorded. `over`: its resources are still there, `gone`: nothing of it is left. */
export type RunStanding = "none" | "running" | "over" | "gone";

/** What is known of the objects that decisions were made for. */
export interface DecisionOwners {
  /** The uid that a controller bound this nonce or uid to; null if it bound none. */
  ownerOf(id: string): string | null;
  /** Whether a controller recorded a release of an object with this kind, namespace and name, in this place. */
  isInstalled(object: Pick<KubernetesObject, "kind" | "metadata">, place: PlaceKey): boolean;
  /** The present run of the object with this uid, as a controller recorded it. Statuses do not count: others can write them. */
  runOf(object: Pick<KubernetesObject, "kind" | "metadata">): RunStanding;
  /** The times of the run of the object with this uid, as a controller recorded them; null if it may not pause, or is over. */
  timesOf(object: Pick<KubernetesObject, "kind" | "metadata">): PausingTimes | null;
  /** Whether the run of the object with this uid has no machine now and creates one to go on, as a controller recorded it. */
  lacksMachine(object: Pick<KubernetesObject, "kind" | "metadata">): boolean;
  /** What a controller recorded that releases of an object with this kind, namespace and name run; of this uid, if the object has one. */
  runningOf(object: Pick<KubernetesObject, "kind" | "metadata">): readonly RunningSize[];
  /**
   * Whether this nonce was signed here a few seconds ago for a creation that is still underway: neither the guard nor the informer has
   * seen an object with it.
   */
  isUnderway(id: string, nowSeconds: number): boolean;
}

/** Whether times of signing and of creation belong to one request. An unknown time of creation is no reason to doubt it. */
export function isCreatedThen(at: number, creationTimestamp: string | undefined): boolean {
  const created = creationTimestamp === undefined ? null : parseTime(creationTimestamp);
  return created === null || Math.abs(created - at) <= BINDING_SECONDS;
}

/** Whether a decision was made for the stored object with these metadata. `owner`: the uid that its id is bound to; null if none. */
export function standingOf(
  { signature }: VerifiedDecision,
  { uid, creationTimestamp }: KubernetesObject["metadata"],
  owner: string | null,
): Standing {
  if (signature.use === "preview" || signature.use === "offer") return "foreign";
  if (owner !== null) return owner === uid ? "own" : "foreign";
  if (signature.use === "uid") return signature.id === uid ? "own" : "foreign";
  return signature.use === "legacy" || isCreatedThen(signature.at, creationTimestamp) ? "unbound" : "foreign";
}
