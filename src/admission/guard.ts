import { isDeepStrictEqual } from "node:util";
import { ANNOTATION, DELETION_POLICY, ORPHAN } from "../model/names.ts";
import { type AdmissionContext, type AdmissionRequest, type Denied, type Outcome, unchanged } from "./types.ts";
import { withoutFields } from "../model/decision-annotation/strip-decision.ts";
import type { CompactDecision } from "../model/decision-annotation/compact-decision.ts";
import type { KeyRing } from "../model/decision-annotation/key-ring.ts";
import {
  parseSignature,
  type VerifiedDecision,
  verifiedDecision,
  verifyDecision,
} from "../model/decision-annotation/signature.ts";
import { changedField, coversSpec, stillHolds } from "../model/decision-annotation/still-holds.ts";
import { isPaused, lacksPause } from "../model/decision-annotation/pause.ts";
import { BINDING_SECONDS, isCreatedThen } from "../model/decision-annotation/standing.ts";
import { placeName, type WorkloadObject } from "../model/workload.ts";
import { isBeingDeleted } from "./update/change.ts";
import { longGlobal } from "./check/check-global.ts";
import { runFault } from "./guard-run.ts";
import { refuse } from "./check/denial.ts";
import { isMadeFor } from "./update/made-just-now.ts";

export type GuardContext = Pick<AdmissionContext, "keys" | "owners" | "nowSeconds">;

const claimsDecision = (object: WorkloadObject): boolean =>
  object.metadata.annotations?.[ANNOTATION.decision] !== undefined ||
  object.metadata.annotations?.[ANNOTATION.seal] !== undefined;

/**
 * The content of a valid decision counts against quotas and budgets until the object is gone, so it stays as it is during deletion, too.
 * An object without one has to stay deletable.
 */
function wasValid(keys: KeyRing, object: WorkloadObject | null): boolean {
  const decision = object === null ? null : verifiedDecision(keys, object);
  return object !== null && decision !== null && stillHolds(object, decision);
}

/** Whether a creation may bring this decision: it was just made for it, or the object's release already exists. */
function isForCreation(
  request: AdmissionRequest,
  { signature, decision }: VerifiedDecision,
  context: GuardContext,
): boolean {
  const { object, dryRun } = request;
  const { metadata } = object;
  const { owners, nowSeconds } = context;
  if (signature.use === "preview") return dryRun === true;
  if (owners.isInstalled(object, placeName(decision.placement))) return true;
  if (
    (signature.use !== "create" && signature.use !== "offer") ||
    !isCreatedThen(signature.at, metadata.creationTimestamp)
  )
    return false;
  const owner = owners.ownerOf(signature.id);
  return Math.abs(nowSeconds - signature.at) <= BINDING_SECONDS && (owner === null || owner === metadata.uid);
}

const PAUSE_FIELD = `metadata.annotations[${ANNOTATION.paused}]`;

const annotationsOf = ({ metadata }: WorkloadObject): [decision: string | undefined, signature: string | undefined] => [
  metadata.annotations?.[ANNOTATION.decision],
  metadata.annotations?.[ANNOTATION.seal],
];

/** The claim of a signature about the object that the decision is for. */
function claimIn(signature = ""): string {
  const read = parseSignature(signature);
  return read === null || read.use === "legacy" ? signature : [read.use, read.at, read.id].join();
}

/** Whether the object keeps its decision: a new signature may cover another spec, but no other object. */
function isKept(object: WorkloadObject, oldObject: WorkloadObject): boolean {
  const [[before, signature], [after, next]] = [annotationsOf(oldObject), annotationsOf(object)];
  return before === after && claimIn(signature) === claimIn(next);
}

/** Whether the decision is the object's own, and not one that was signed for another object or at another time. */
function isForRequest(request: AdmissionRequest, verified: VerifiedDecision, context: GuardContext): boolean {
  const { object, oldObject } = request;
  if (oldObject === null) return isForCreation(request, verified, context);
  return (
    isKept(object, oldObject) || isMadeFor({ ...request, oldObject }, context, context.nowSeconds - BINDING_SECONDS)
  );
}

/** Whether nothing changes that is decided: an object whose key was lost keeps its metadata, its finalizers and its status in order. */
const isUntouched = (object: WorkloadObject, oldObject: WorkloadObject): boolean =>
  isDeepStrictEqual(annotationsOf(object), annotationsOf(oldObject)) && isDeepStrictEqual(object.spec, oldObject.spec);

const ownSpec = (object: WorkloadObject): unknown => withoutFields(object, ["global"]).spec ?? {};

/**
 * Whether an object that is being deleted changes by what counts for others: nothing decides it any more. An object with a valid decision
 * can be signed again; one without has to stay deletable as it is.
 */
function changesDeleted(request: AdmissionRequest, oldObject: WorkloadObject, keys: KeyRing): boolean {
  const { object } = request;
  if (!isBeingDeleted(request)) return false;
  if (!isDeepStrictEqual(ownSpec(object), ownSpec(oldObject))) return true;
  return !wasValid(keys, oldObject) && !isDeepStrictEqual(annotationsOf(object), annotationsOf(oldObject));
}

const isOrphan = ({ metadata }: WorkloadObject): boolean => metadata.annotations?.[DELETION_POLICY] === ORPHAN;

/** Whether an object that is being deleted is to leave its resources behind from now on: policies are asked about that on objects that stay. */
const isOrphanedLate = (request: AdmissionRequest, oldObject: WorkloadObject): boolean =>
  isBeingDeleted(request) && isOrphan(request.object) && !isOrphan(oldObject);

/** The denial of a change that an object which is being deleted cannot have; null for none. */
function refuseDeleted(request: AdmissionRequest, oldObject: WorkloadObject, keys: KeyRing): Denied | null {
  const about = { kind: request.kind, name: request.object.metadata.name ?? "" };
  if (isOrphanedLate(request, oldObject)) return refuse("ADM_ORPHAN_LATE", { ...about, annotation: DELETION_POLICY });
  return changesDeleted(request, oldObject, keys) ? refuse("ADM_DELETING", about) : null;
}

/** An object without a valid decision: from before Landfall, of a key that was lost, or forged. */
function guardUnverified({ operation, object, oldObject }: AdmissionRequest, keys: KeyRing): Outcome {
  if (oldObject !== null && isUntouched(object, oldObject)) return unchanged;
  const wasDecided = operation === "CREATE" || (oldObject !== null && verifiedDecision(keys, oldObject) !== null);
  return wasDecided || claimsDecision(object)
    ? refuse("ADM_DECISION_FORGED", { annotation: ANNOTATION.decision })
    : unchanged;
}

/**
 * The validating webhook's answer, after every mutating webhook: the decision on the object must be Landfall's own for
 * these inputs, and the written fields must have the decided values.
 */
export function guard(request: AdmissionRequest, context: GuardContext): Outcome {
  const { object, oldObject } = request;
  const { keys } = context;
  const long = longGlobal(object, oldObject);
  if (long !== null) return refuse(long.code, long.params);
  const refused = oldObject === null ? null : refuseDeleted(request, oldObject, keys);
  if (refused !== null) return refused;
  if (oldObject !== null && isBeingDeleted(request) && !wasValid(keys, oldObject)) return unchanged;
  const fault = runFault(object, oldObject, context);
  if (fault !== null) return refuse(fault.code, fault.params);
  const verified = verifyDecision(keys, object);
  return verified === null ? guardUnverified(request, keys) : guardDecided(request, verified, context);
}

function guardDecided(request: AdmissionRequest, verified: VerifiedDecision, context: GuardContext): Outcome {
  const { object, oldObject } = request;
  const { decision } = verified;
  if (!stillHolds(object, decision)) return refuseChange(object, decision);
  if ((oldObject === null || isPaused(oldObject)) && lacksPause(object, decision, context.nowSeconds))
    return refuse("ADM_DECIDED_FIELD", { field: PAUSE_FIELD, actual: "missing", allowed: '"true"' });
  if (!isForRequest(request, verified, context))
    return refuse("ADM_DECISION_REPLAYED", { annotation: ANNOTATION.decision });
  return guardSpec(request, verified);
}

/**
 * The whole spec has to be the one that was accepted. Metadata and status of an object that was changed while no webhook was called,
 * or whose signature is of an earlier form, stay changeable.
 */
function guardSpec(request: AdmissionRequest, verified: VerifiedDecision): Outcome {
  const { kind, object, oldObject } = request;
  if (coversSpec(verified, object)) return unchanged;
  if (oldObject !== null && isUntouched(object, oldObject)) return unchanged;
  const name = object.metadata.name ?? object.metadata.generateName ?? "";
  return refuse(isBeingDeleted(request) ? "ADM_DELETING" : "ADM_SPEC_CHANGED", { kind, name });
}

/** Names the field or input that is not as decided. */
function refuseChange(object: WorkloadObject, decision: CompactDecision): Denied {
  const changed = changedField(object, decision);
  if (changed === null)
    return refuse("ADM_DECIDED_FIELD", { field: "an input", actual: "another", allowed: "what was decided on" });
  const actual = changed.actual === undefined ? "missing" : JSON.stringify(changed.actual);
  return refuse("ADM_DECIDED_FIELD", { field: `spec.${changed.field}`, actual, allowed: changed.decided });
}
