import type { AdmissionContext, AdmissionRequest, Outcome } from "../../../src/admission/types.ts";
import { LandfallError } from "../../../src/errors.ts";
import { type ClusterData, workloadKey } from "../../../src/external-data/cluster-data.ts";
import { largerSize, readWorkload, sizeOf } from "../../../src/model/read-workload.ts";
import type { Reservation } from "../../../src/external-data/usage/reservation-book.ts";
import { nonceKey } from "../../../src/external-data/usage/reservations.ts";
import { readSignatureId, verifyDecision } from "../../../src/model/decision-annotation/signature.ts";
import { ANNOTATION } from "../../../src/model/names.ts";
import { formatTime, parseTime } from "../../../src/model/time.ts";
import { placeName } from "../../../src/model/workload.ts";

/**
 * An object that the guard does not see within this time, in seconds, was refused by the API server or by a later mutating
 * webhook.
 */
const OPEN_SECONDS = 5;
/**
 * An object that the guard has seen appears within this time, in seconds, unless a later check of the API server refuses it. It counts
 * until the cluster was seen after that.
 */
const CONFIRMED_SECONDS = 10;
/** Reservations that the guard has not seen. By default, the API server handles 200 changes at the same time. */
const MOST = { namespace: 600, user: 1200 } as const;

/** Of a namespace, so many objects may be admitted and not stored in ten minutes: each of them holds places of others for some seconds. */
const MOST_UNSTORED = 5;

export type Reserved = { type: "reservation" } & Reservation;

/** ADM_BUSY if a namespace or a user has too many reservations without an object, ADM_UNSEEN if the webhook has; null if not. */
export function refuseCrowd(
  clusterData: ClusterData,
  { object, operation, user = "" }: AdmissionRequest,
  nowSeconds: number,
): LandfallError | null {
  const { namespace = "default" } = object.metadata;
  const unseen = operation === "CREATE" ? clusterData.behind(namespace, nowSeconds) : null;
  if (unseen !== null) return new LandfallError("ADM_UNSEEN", { count: unseen });
  const own = clusterData.unconfirmed(namespace, user, nowSeconds);
  if (own.namespace >= MOST.namespace) return new LandfallError("ADM_BUSY", { scope: `of namespace ${namespace}` });
  return own.user >= MOST.user ? new LandfallError("ADM_BUSY", { scope: "of this user" }) : null;
}

/** ADM_UNSEEN if more versions of an object would be kept than may be, because the webhook did not see those before; null if not. */
export function refuseUnseen(
  clusterData: Pick<ClusterData, "behind">,
  next: Reserved | null,
  nowSeconds: number,
): LandfallError | null {
  const unseen = next === null ? null : clusterData.behind(next.workload.namespace, nowSeconds, next.key);
  return unseen === null ? null : new LandfallError("ADM_UNSEEN", { count: unseen });
}

/**
 * Why nothing more is reserved for a namespace whose admitted objects the API server refuses, for instance by a ResourceQuota, which it checks
 * after both webhooks: ADM_UNSTORED after too many of them; ADM_BUSY if those that were not seen yet could become too many; null if neither.
 */
export function refuseUnstored(
  { unstored, awaited }: Pick<ClusterData, "unstored" | "awaited">,
  next: Reserved | null,
  nowSeconds: number,
): LandfallError | null {
  if (next === null) return null;
  const { key, workload } = next;
  const { namespace } = workload;
  const times = unstored.times(namespace, nowSeconds);
  if (times.length === 0) return null;
  if (times.length >= MOST_UNSTORED) {
    const until = formatTime(unstored.endOf(times.slice(-MOST_UNSTORED)));
    return new LandfallError("ADM_UNSTORED", { namespace, count: times.length, until });
  }
  if (times.length + awaited(namespace, key, nowSeconds) < MOST_UNSTORED) return null;
  return new LandfallError("ADM_BUSY", { scope: `of namespace ${namespace}` });
}

/**
 * The key of the object that a request asks for. Without a name it is the nonce that the first call for the same request signed, if there was
 * one: anyone can write a signature's id, so it counts only as signed, and while nothing has this decision.
 */
export function askedKey(
  { uid, kind, object }: AdmissionRequest,
  { keys, owners, nowSeconds }: Pick<AdmissionContext, "keys" | "owners" | "nowSeconds">,
): string {
  const { name, namespace = "default" } = object.metadata;
  if (name !== undefined) return workloadKey(kind, namespace, name);
  const id = verifyDecision(keys, object)?.signature.id;
  return nonceKey(kind, namespace, id !== undefined && owners.isUnderway(id, nowSeconds) ? id : uid);
}

/** The key of a reservation. An object without a name has its nonce: a second call for the same request is the same object. */
export function keyOf(key: string, { kind, object }: AdmissionRequest, outcome: Outcome): string {
  const { name, namespace = "default" } = object.metadata;
  const id = name === undefined && outcome.allowed ? outcome.signatureId : undefined;
  return id === undefined ? key : nonceKey(kind, namespace, id);
}

/** The keys under which an object that the guard sees may be reserved: its own, and that of the nonce that it had before its name. */
export function keysOf({ key, workload: { kind, namespace, decisionId } }: Reserved): string[] {
  return decisionId === undefined ? [key] : [key, nonceKey(kind, namespace, decisionId)];
}

/** The size that is stored with this placement, without that of the decision which the object still has. */
const storedSize = ({ kind, object }: AdmissionRequest, placement: Readonly<Record<string, unknown>>) =>
  largerSize(sizeOf(kind, object.spec ?? {}), placement);

/**
 * The event of an allowed request for the cluster's data; null for none. It counts from now on, or a second request would take
 * its capacity.
 */
export function reserve(key: string, request: AdmissionRequest, outcome: Outcome, nowSeconds: number): Reserved | null {
  if (!outcome.allowed) return null;
  const placement = outcome.decision?.placement ?? null;
  const by = request.user ?? "";
  const until = nowSeconds + OPEN_SECONDS;
  const creates = request.operation === "CREATE";
  if (placement === null) {
    // A restored object keeps its decision.
    if (request.operation !== "CREATE" || readSignatureId(request.object) === null) return null;
    return { type: "reservation", key, workload: readWorkload(request.kind, request.object), until, by, creates };
  }
  const { start, end } = placement;
  const { decisionId: _, ...asked } = readWorkload(request.kind, request.object);
  const { signatureId } = outcome;
  const workload = {
    ...asked,
    ...storedSize(request, { ...placement }),
    ...(signatureId === undefined ? {} : { decisionId: signatureId }),
    place: placeName(placement),
    start: parseTime(start),
    end: end === null ? null : parseTime(end),
  };
  return { type: "reservation", key, workload, until, by, creates };
}

/** The reservation of an object that the guard accepts: the API server has checked it. Null if its decision is not new. */
export function confirm(
  { kind, object, oldObject }: AdmissionRequest,
  outcome: Outcome,
  nowSeconds: number,
): Reserved | null {
  const decision = object.metadata.annotations?.[ANNOTATION.decision];
  if (!outcome.allowed || decision === undefined || decision === oldObject?.metadata.annotations?.[ANNOTATION.decision])
    return null;
  const { namespace = "default", name = "" } = object.metadata;
  const workload = readWorkload(kind, object);
  return {
    type: "reservation",
    key: workloadKey(kind, namespace, name),
    workload,
    until: nowSeconds + CONFIRMED_SECONDS,
    creates: oldObject === null,
  };
}
