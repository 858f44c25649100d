import { isHeldByLandfall, isInstalled, isPaused, waitsForStart } from "../../model/decision-annotation/pause.ts";
import { DECIDING, describing, withoutFields } from "../../model/decision-annotation/strip-decision.ts";
import type { WorkloadObject, WrittenField } from "../../model/workload.ts";
import type { CompactDecision } from "../../model/decision-annotation/compact-decision.ts";
import type { Standing } from "../../model/decision-annotation/standing.ts";
import type { VerifiedDecision } from "../../model/decision-annotation/signature.ts";
import type { AdmissionContext, AdmissionRequest } from "../types.ts";
import { isDeepStrictEqual } from "node:util";
import { conditionsOf } from "../../model/kubernetes.ts";
import { isObject } from "../../model/json.ts";
import { isAnotherRun, runOf } from "../../model/runs/run-of.ts";

export type Update = AdmissionRequest & { oldObject: WorkloadObject };

/** An update of a decided object. */
export interface Change {
  update: Update;
  context: AdmissionContext;
  earlier: CompactDecision;
  verified: VerifiedDecision;
  /** Whether the earlier decision may be trusted to be this object's: `unbound` if nothing speaks against it. */
  standing: Standing;
  /** Whether more than the status of the object says that the earlier decision is its own. */
  isOwn: boolean;
  /** Fields of the earlier decision that the user did not change. */
  kept: WrittenField[];
  /** Their values on the old object. */
  values: Partial<Record<WrittenField, unknown>>;
}

export const specOf = (object: WorkloadObject): Record<string, unknown> => object.spec ?? {};

/** Whether something of the object runs, or may: its status says so, which its user may be able to write, or a controller recorded it. */
export const runsNow = ({ update, context }: Pick<Change, "update" | "context">): boolean =>
  isInstalled(update.oldObject) || context.owners.runningOf(update.oldObject).length > 0;

/** Whether a pause holds the object back from being installed. */
export const isHeldBack = (change: Pick<Change, "update" | "context">): boolean =>
  isPaused(change.update.oldObject) && !runsNow(change);

/** Whether the run that was decided has begun, as its controller recorded it: a pause since then is its user's. */
function hasBegun({ update: { oldObject }, context: { owners }, earlier }: Change): boolean {
  const recorded = owners.recordedRunOf(oldObject);
  return recorded !== null && !isAnotherRun(earlier.run ?? "", recorded);
}

/** Whether Landfall, not its user, holds the object back. */
export const isHeldByUs = (change: Change): boolean =>
  isHeldByLandfall(change.update.oldObject, change.earlier) && !runsNow(change) && !hasBegun(change);

/** Whether the object still waits for its decided start. */
export const waits = (change: Change): boolean =>
  waitsForStart(change.update.oldObject, change.earlier, change.context.nowSeconds) && !runsNow(change);

/** The object as its user wrote it, without the fields of an earlier decision. Its age is the old object's, not what the user wrote. */
export function bare({ update, kept }: Change): WorkloadObject {
  const object = withoutFields(update.object, kept);
  const { creationTimestamp } = update.oldObject.metadata;
  return creationTimestamp === undefined ? object : { ...object, metadata: { ...object.metadata, creationTimestamp } };
}

export const annotation = (object: WorkloadObject, name: string): string | undefined =>
  object.metadata.annotations?.[name];

/** Changes of labels, finalizers, foreign annotations and the status need no new decision. */
export const concernsUs = ({ object, oldObject }: Update): boolean =>
  !isDeepStrictEqual(object.spec, oldObject.spec) ||
  DECIDING.some((name) => annotation(object, name) !== annotation(oldObject, name));

/** Labels and annotations that rules can read: a change of them alone is checked, and keeps the decision. */
export const changesMetadata = ({ object, oldObject }: Update): boolean =>
  !isDeepStrictEqual(object.metadata.labels ?? {}, oldObject.metadata.labels ?? {}) ||
  !isDeepStrictEqual(describing(object.metadata.annotations), describing(oldObject.metadata.annotations));

const isTrue = ({ status }: WorkloadObject, type: string): boolean =>
  conditionsOf(isObject(status) ? { status } : {}).some((one) => one.type === type && one.status === "True");

/** Whether the run of this object continues, as its controller says. */
export const isRunning = (object: WorkloadObject): boolean => isTrue(object, "Running");

/** Whether the last run of this object has failed, as its controller says. */
export const hasFailed = (object: WorkloadObject): boolean => isTrue(object, "Failed");

/** Whether the update asks for another run, by another value of `landfall.dev/run`. */
export const asksAnotherRun = (object: WorkloadObject, oldObject: WorkloadObject): boolean =>
  isAnotherRun(runOf(object), runOf(oldObject));

type Asked = Pick<Change, "update" | "context" | "earlier">;

/** Whether the object asks for a run that has not begun: its controller recorded another one. */
const awaitsRun = ({ update: { object, oldObject }, context: { owners } }: Asked): boolean =>
  isAnotherRun(runOf(object), owners.recordedRunOf(oldObject) ?? runOf(oldObject));

/** Whether the run that the object asks for is to be decided: the earlier decision was made for another one. */
export const lacksDecision = (asked: Asked): boolean =>
  awaitsRun(asked) &&
  (asksAnotherRun(asked.update.object, asked.update.oldObject) ||
    (asked.earlier.run ?? "") !== runOf(asked.update.object));

/** Whether another run is to be decided and nothing of the last one is left, so that it is placed and starts like a new object. */
export const isNextRun = (asked: Asked): boolean =>
  asked.context.owners.runOf(asked.update.oldObject) === "gone" && lacksDecision(asked);

/** Whether the run of this object continues, or its resources are still to be deleted: no other run begins before they are gone. */
export function isThere(
  oldObject: WorkloadObject,
  owners: Pick<AdmissionContext["owners"], "runOf" | "beganOf">,
): boolean {
  const standing = owners.runOf(oldObject);
  if (standing === "over")
    return specOf(oldObject)["whenDone"] === "delete" || owners.beganOf(oldObject)?.isDeleting === true;
  return standing === "running" || (standing === "none" && isRunning(oldObject));
}

/**
 * Whether another run is to be decided for the machine that the last one left, and that stays. It begins as soon as its user does not pause the object, so that
 * it is decided again then.
 */
export function isNextInPlace(change: Change): boolean {
  const { update, context, standing } = change;
  const { oldObject } = update;
  if (standing !== "own" || context.owners.runOf(oldObject) !== "over" || !awaitsRun(change)) return false;
  if (isThere(oldObject, context.owners)) return false;
  return lacksDecision(change) || (isPaused(oldObject) && !isPaused(update.object));
}

/**
 * Whether the change is one of an object that is being deleted. A request may lack the time of deletion, which the API server
 * then puts back, and a new object is never being deleted.
 */
export const isBeingDeleted = ({ object, oldObject }: Pick<AdmissionRequest, "object" | "oldObject">): boolean =>
  oldObject !== null && [oldObject, object].some(({ metadata }) => metadata.deletionTimestamp !== undefined);
