import type { PatchOperation } from "../model/decision.ts";
import { ANNOTATION, IF_BETTER } from "../model/names.ts";
import { makePatch } from "../patch/make-patch.ts";
import {
  type AdmissionContext,
  type AdmissionRequest,
  type Ask,
  type Outcome,
  unchanged,
  type Unfinished,
} from "./types.ts";
import { admitUpdate } from "./update/admit-update.ts";
import { specOf } from "./update/change.ts";
import { withoutFields } from "../model/decision-annotation/strip-decision.ts";
import type { CompactDecision } from "../model/decision-annotation/compact-decision.ts";
import { decide, decideAlone } from "./decide/decide.ts";
import { verifiedDecision } from "../model/decision-annotation/signature.ts";
import { stillHolds } from "../model/decision-annotation/still-holds.ts";
import { denyDecision, writeDecision, writing } from "./respond/write-decision.ts";

export interface Commanded {
  /** The request without the command. */
  request: AdmissionRequest;
  /** Removes the command from the object; empty if there is none. */
  undo: PatchOperation[];
}

/**
 * `landfall.dev/reevaluate: if-better` is a command, not state: it is removed from the object first. Then it can be
 * given again, and an object that keeps its decision is not written at all.
 */
function takeCommand(request: AdmissionRequest): Commanded {
  const { object, oldObject } = request;
  const { [ANNOTATION.reevaluate]: wish, ...others } = object.metadata.annotations ?? {};
  if (wish !== IF_BETTER) return { request, undo: [] };
  const before = oldObject?.metadata.annotations?.[ANNOTATION.reevaluate];
  const kept = before === undefined || before === IF_BETTER ? {} : { [ANNOTATION.reevaluate]: before };
  const metadata = { ...object.metadata, annotations: { ...others, ...kept } };
  const undone = { [ANNOTATION.reevaluate]: kept[ANNOTATION.reevaluate] ?? null };
  const undo = makePatch(object, { spec: {}, annotations: undone });
  return { request: { ...request, object: { ...object, metadata } }, undo };
}

/**
 * An object that has its own decision: the API server calls again because another webhook changed it, or it was
 * restored from a backup. It keeps its place if the present policy allows it.
 */
function keepCreated({ object, kind }: AdmissionRequest, context: AdmissionContext, earlier: CompactDecision): Outcome {
  const spec = specOf(object);
  const pins = Object.fromEntries(earlier.written.flatMap((field) => (field in spec ? [[field, spec[field]]] : [])));
  const request = { ...context, kind, operation: "CREATE", started: true, pins } as const;
  const decision = decideAlone({ ...request, object: withoutFields(object, earlier.written) });
  return decision.allowed ? unchanged : denyDecision(decision, context.policy.texts);
}

function admitCreate(request: AdmissionRequest, context: AdmissionContext): Outcome | Unfinished {
  const { object, kind } = request;
  const earlier = verifiedDecision(context.signingKey, object);
  if (earlier !== null && stillHolds(object, earlier)) return keepCreated(request, context, earlier);
  // A decision copied from another object is replaced.
  const step = decide({ ...context, kind, object, operation: "CREATE" });
  return step.state === "decided" ? writeDecision({ ...writing(context), object, decision: step.decision }) : step;
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
  if (given.object.metadata.deletionTimestamp !== undefined) return unchanged;
  const { request, undo } = takeCommand(given);
  const asking = { ...context, ask };
  const outcome =
    request.operation === "UPDATE" && request.oldObject !== null
      ? admitUpdate({ ...request, oldObject: request.oldObject }, asking, undo.length > 0)
      : admitCreate(request, asking);
  if ("state" in outcome || !outcome.allowed || undo.length === 0) return outcome;
  return { ...outcome, patch: [...undo, ...outcome.patch] };
}
