import type { PatchOperation } from "../model/decision.ts";
import { commandOf } from "../model/decision-annotation/command.ts";
import { ANNOTATION, type Command, COMPOSITION_FINALIZER, COMPOSITION_LABEL } from "../model/names.ts";
import { makePatch } from "../patch/make-patch.ts";
import {
  type AdmissionContext,
  type AdmissionRequest,
  type Ask,
  type Allowed,
  type Denied,
  type Outcome,
  unchanged,
  type Unfinished,
} from "./types.ts";
import { annotationWarnings } from "./check/annotation-warnings.ts";
import { longGlobal } from "./check/check-global.ts";
import { longRunFault } from "./guard-run.ts";
import { asksAnotherRun, isBeingDeleted } from "./update/change.ts";
import { admitUpdate } from "./update/admit-update.ts";
import { keepRun } from "./update/keep-run.ts";
import { asksConfirmation, removeConfirmation, withoutConfirmation } from "./update/confirm.ts";
import { stripDecision } from "../model/decision-annotation/strip-decision.ts";
import type { CompactDecision } from "../model/decision-annotation/compact-decision.ts";
import { isPaused } from "../model/decision-annotation/pause.ts";
import { decide } from "./decide/decide.ts";
import { type VerifiedDecision, verifyDecision } from "../model/decision-annotation/signature.ts";
import { stillHolds } from "../model/decision-annotation/still-holds.ts";
import { recordedWorkloads } from "./update/installed/running-workloads.ts";
import { keepOwn } from "./update/keep-decision.ts";
import { refuse } from "./check/denial.ts";
import { writeDecision, writing } from "./respond/write-decision.ts";
import { placeName, type WorkloadObject } from "../model/workload.ts";

/**
 * Puts back Krateo's labels and finalizer if `object` lacks them, for instance after `kubectl replace`: without them no
 * controller takes the object for its own, and its resources would outlive it. A label that has another value stays as
 * it is: controllers move objects to other versions that way.
 */
function restoreComposition(object: WorkloadObject, oldObject: WorkloadObject): PatchOperation[] {
  const { labels: before = {}, finalizers = [] } = oldObject.metadata;
  const lost = Object.values(COMPOSITION_LABEL).flatMap((key) => {
    const value = before[key];
    return value === undefined || object.metadata.labels?.[key] !== undefined ? [] : [[key, value] as const];
  });
  return makePatch(object, {
    spec: {},
    annotations: {},
    labels: Object.fromEntries(lost),
    finalizers: finalizers.filter((finalizer) => finalizer === COMPOSITION_FINALIZER),
  });
}

interface Commanded {
  /** The request without the command. */
  request: AdmissionRequest;
  command: Command | null;
  /** Removes the command from the object; empty if there is none. */
  undo: PatchOperation[];
}

/**
 * `landfall.dev/reevaluate: if-better` (or `another-size`) is a command, not state: it is removed from the object first. Then it can be
 * given again, and an object that keeps its decision is not written at all.
 */
function takeCommand(request: AdmissionRequest): Commanded {
  const { object, oldObject } = request;
  const { [ANNOTATION.reevaluate]: wish, ...others } = object.metadata.annotations ?? {};
  const command = commandOf(wish);
  if (command === null || wish === undefined) return { request, command, undo: [] };
  const before = oldObject?.metadata.annotations?.[ANNOTATION.reevaluate];
  const kept = before === undefined || commandOf(before) !== null ? {} : { [ANNOTATION.reevaluate]: before };
  const metadata = { ...object.metadata, annotations: { ...others, ...kept } };
  const undone = { [ANNOTATION.reevaluate]: kept[ANNOTATION.reevaluate] ?? null };
  const undo = makePatch(object, { spec: {}, annotations: undone });
  return { request: { ...request, object: { ...object, metadata }, wish }, command, undo };
}

/** The report of the last run's completion goes when another run is asked for: it would end that one immediately. */
function forgetCompletion(given: Commanded): Commanded {
  const { object, oldObject } = given.request;
  const { [ANNOTATION.completed]: completed, ...annotations } = object.metadata.annotations ?? {};
  if (completed === undefined || oldObject === null || !asksAnotherRun(object, oldObject)) return given;
  const metadata = { ...object.metadata, annotations };
  const undo = makePatch(object, { spec: {}, annotations: { [ANNOTATION.completed]: null } });
  return { ...given, request: { ...given.request, object: { ...object, metadata } }, undo: [...given.undo, ...undo] };
}

/** A dry run takes no longer than this, in seconds. */
const DRY_RUN_SECONDS = 60;

/**
 * Whether the decision comes from an earlier call for this request: the API server calls again if another webhook changed the
 * object, with another uid of the review. No one else knows a nonce before an object with it exists, and an object with it ends that: one that
 * was deleted cannot be created again with its decision. A dry run's decision is useless later.
 */
function isAskedAgain(
  { signature }: VerifiedDecision,
  { dryRun }: AdmissionRequest,
  context: AdmissionContext,
): boolean {
  const { nowSeconds, owners } = context;
  if (dryRun === true) return signature.use === "preview" && Math.abs(nowSeconds - signature.at) <= DRY_RUN_SECONDS;
  return (
    signature.use === "create" && owners.isUnderway(signature.id, nowSeconds) && owners.ownerOf(signature.id) === null
  );
}

/** Whether the object was restored from a backup, and what was installed for it is still there, in the decided place. */
const isRestored = (
  { decision, signature }: VerifiedDecision,
  { object }: AdmissionRequest,
  { owners }: AdmissionContext,
): boolean => signature.use !== "preview" && owners.isInstalled(object, placeName(decision.placement));

function decideNew({ object, kind }: AdmissionRequest, context: AdmissionContext): Outcome | Unfinished {
  const step = decide({ ...context, kind, object, operation: "CREATE" });
  return step.state === "decided" ? writeDecision({ ...writing(context), object, decision: step.decision }) : step;
}

/** Decides an object with the decision of another one as its user wrote it: without what that decision wrote. */
function decideCopy(
  request: AdmissionRequest,
  context: AdmissionContext,
  copied: CompactDecision,
): Outcome | Unfinished {
  const { object, kind } = request;
  const step = decide({ ...context, kind, object: stripDecision(object), operation: "CREATE" });
  if (step.state !== "decided") return step;
  const heldBack = copied.held === true && isPaused(object);
  const { written: replaces, pastReason } = copied;
  const written = { object, decision: step.decision, heldBack, replaces, pastReason };
  return writeDecision({ ...writing(context), ...written });
}

function admitCreate(request: AdmissionRequest, context: AdmissionContext): Outcome | Unfinished {
  const earlier = verifyDecision(context.keys, request.object);
  if (earlier === null || !stillHolds(request.object, earlier.decision)) return decideNew(request, context);
  if (isAskedAgain(earlier, request, context)) return keepOwn(request, context, earlier);
  return isRestored(earlier, request, context)
    ? keepOwn(request, context, earlier, recordedWorkloads(request.object, earlier.decision, context))
    : decideCopy(request, context, earlier.decision);
}

/** Why a request is refused before its object is looked at; null if it is not. */
function refusedFirst(given: AdmissionRequest): Denied | null {
  const long = longRunFault(given.object, given.oldObject) ?? longGlobal(given.object, given.oldObject);
  if (long !== null) return refuse(long.code, long.params);
  const isFalse = asksConfirmation(given) && given.confirms !== true;
  return isFalse ? refuse("ADM_CONFIRMATION", { annotation: ANNOTATION.confirm }) : null;
}

/** An allowed outcome with what the object lacks, without its commands, and with the warnings of what a change adds. */
function completed({ object, oldObject }: AdmissionRequest, outcome: Allowed, undo: PatchOperation[]): Allowed {
  const restored = oldObject === null ? [] : restoreComposition(object, oldObject);
  // A new object's are in its decision.
  const added = oldObject === null ? [] : annotationWarnings(object, oldObject);
  if (undo.length === 0 && restored.length === 0 && added.length === 0) return outcome;
  const warnings = [...outcome.warnings, ...added.map(({ message, code }) => `${message} [${code}]`)];
  return { ...outcome, warnings: [...new Set(warnings)], patch: [...undo, ...outcome.patch, ...restored] };
}

/**
 * The mutating webhook's answer. On creation it decides (`decide` knows the order of the stages) and writes the
 * decision; on update it first restores what the object lacks. `ask`: what the decision may ask for before it is
 * finished.
 */
export function admit(given: AdmissionRequest, context: AdmissionContext): Outcome;
export function admit(given: AdmissionRequest, context: AdmissionContext, ask: Ask | undefined): Outcome | Unfinished;
export function admit(given: AdmissionRequest, context: AdmissionContext, ask?: Ask): Outcome | Unfinished {
  // The finalizer must be removable regardless of the policy.
  if (isBeingDeleted(given)) return unchanged;
  const refused = refusedFirst(given);
  if (refused !== null) return refused;
  const { request: kept, restored } = keepRun(given);
  const confirmation = removeConfirmation(kept.object);
  const commanded = takeCommand({ ...kept, object: withoutConfirmation(kept.object) });
  const { request, undo: forgotten } = forgetCompletion(commanded);
  const undo = [...restored, ...confirmation, ...forgotten];
  const asking = { ...context, ask, request };
  const outcome =
    request.operation === "UPDATE" && request.oldObject !== null
      ? admitUpdate({ ...request, oldObject: request.oldObject }, asking, commanded.command)
      : admitCreate(request, asking);
  if ("state" in outcome || !outcome.allowed) return outcome;
  return completed(given, outcome, undo);
}
