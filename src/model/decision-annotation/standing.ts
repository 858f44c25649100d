import type { KubernetesObject } from "../kubernetes.ts";
import type { PausingTimes } from "../pausing-times.ts";
import { parseTime } from "../time.ts";
import type { PlaceKey } from "../workload.ts";
import type { RunningSize } from "./system-secrets.ts";
import { signedAt, type VerifiedDecision } from "./signature.ts";
import { createHmac, timingSafeEqual } from "node:crypto";
import { canonicalJson } from "../json.ts";
import { ANNOTATION } from "../names.ts";
import type { KeyRing } from "./key-ring.ts";
import { specDigest } from "./still-holds.ts";

/** An object is created within this time after its decision was signed, in seconds. Clocks may differ, so before it too. */
export const BINDING_SECONDS = 300;

/** `unbound`: nothing speaks against it, but no controller has bound the decision to the object yet. */
export type Standing = "own" | "unbound" | "foreign";

/** `none`: no run is recorded. `over`: its resources are still there, `gone`: nothing of it is left. */
export type RunStanding = "none" | "running" | "over" | "gone";

/** Seconds since 1970. `firstStartedAt`: from when its limit counts. */
export interface RunBegin {
  startedAt: number;
  firstStartedAt: number;
  /** Its resources are being deleted since its end. */
  isDeleting?: true;
}

/** The known objects that decisions were made for. */
export interface DecisionOwners {
  /** The uid that a controller bound this nonce or uid to; null if it bound none. */
  ownerOf(id: string): string | null;
  /** When the latest decision for the object with this uid was signed, as a controller saw it, in seconds since 1970; 0 if it saw none. */
  latestOf(uid: string): number;
  /** Whether a controller recorded a release of an object with this kind, namespace and name, in this place. */
  isInstalled(object: Pick<KubernetesObject, "kind" | "metadata">, place: PlaceKey): boolean;
  /**
   * The SHA-256 of the specs that a controller recorded as installed for this object in this place: what the object itself says can have been
   * written while no webhook was called. Null for a record of an earlier version, which does not say it.
   */
  recordedSpecs(object: Pick<KubernetesObject, "kind" | "metadata">, place: PlaceKey): readonly (string | null)[];
  /** The present run of the object with this uid, as a controller recorded it. Statuses do not count: others can write them. */
  runOf(object: Pick<KubernetesObject, "kind" | "metadata">): RunStanding;
  /** The value of `landfall.dev/run` of that run; null if none is recorded. The object may ask for another one by now. */
  recordedRunOf(object: Pick<KubernetesObject, "kind" | "metadata">): string | null;
  /** The times of the run of the object with this uid, as a controller recorded them; null if it must not pause, or is over. */
  timesOf(object: Pick<KubernetesObject, "kind" | "metadata">): PausingTimes | null;
  /** When the run of the object with this uid began, and the first run of its machine, as a controller recorded them; null for no run. */
  beganOf(object: Pick<KubernetesObject, "kind" | "metadata">): RunBegin | null;
  /** Whether the run of the object with this uid has no machine now and creates one to continue, as a controller recorded it. */
  lacksMachine(object: Pick<KubernetesObject, "kind" | "metadata">): boolean;
  /** The sizes that a controller recorded for releases of an object with this kind, namespace and name run; of this uid, if the object has one. */
  runningOf(object: Pick<KubernetesObject, "kind" | "metadata">): readonly RunningSize[];
  /**
   * Whether this nonce was signed here a few seconds ago for a creation that is still underway: neither the guard nor the informer has
   * seen an object with it.
   */
  isUnderway(id: string, nowSeconds: number): boolean;
}

/** Whether times of signing and of creation belong to one request. An unknown time of creation does not cast doubt on it. */
export function isCreatedThen(at: number, creationTimestamp: string | undefined): boolean {
  const created = creationTimestamp === undefined ? null : parseTime(creationTimestamp);
  return created === null || Math.abs(created - at) <= BINDING_SECONDS;
}

/**
 * Whether another decision for the same object replaced this one: it was put back while no webhook was called, and what it takes may have
 * been given to others since. `latest`: when the latest known decision for the object was signed.
 */
export const isReplaced = (verified: VerifiedDecision, latest: number): boolean => signedAt(verified) < latest;

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

type Seen = KubernetesObject & { spec?: Record<string, unknown> };

const CONFIRMATION = /^v1\.([0-9a-f]{8})\.(\d{1,12})\.([\w-]{43})$/;

/** All that a decision reads of the object, and whose it is. */
function seenOf({ kind, metadata, spec }: Seen): string {
  const { namespace = "default", name = "", uid = "", labels = {}, annotations = {} } = metadata;
  const { [ANNOTATION.confirm]: _, ...others } = annotations;
  return canonicalJson({ kind, namespace, name, uid, labels, annotations: others, spec: specDigest(spec) });
}

function macOf(key: KeyRing[0]["key"], object: Seen, at: number): Buffer {
  return createHmac("sha256", key)
    .update(JSON.stringify(["landfall confirmation 1", at, seenOf(object)]))
    .digest();
}

/** Value of `landfall.dev/confirm`: a process with the keys read this object, as it is, from the API server. */
export function confirmationOf([{ id, key }]: KeyRing, object: Seen, nowSeconds: number): string {
  return ["v1", id, String(nowSeconds), macOf(key, object, nowSeconds).toString("base64url")].join(".");
}

/** Whether the object has a valid confirmation that was made for it, as it is, a short time ago. */
export function isConfirmed(ring: KeyRing, object: Seen, nowSeconds: number): boolean {
  const [, keyId, at = "0", mac = ""] =
    CONFIRMATION.exec(object.metadata.annotations?.[ANNOTATION.confirm] ?? "") ?? [];
  const found = ring.find(({ id }) => id === keyId);
  if (found === undefined || object.metadata.uid === undefined) return false;
  if (Math.abs(nowSeconds - Number(at)) > BINDING_SECONDS) return false;
  const [expected, actual] = [macOf(found.key, object, Number(at)), Buffer.from(mac, "base64url")];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
