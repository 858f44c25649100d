import { admitUpdate } from "./update/admit-update.ts";
import { specOf } from "./update/change.ts";
import { withoutFields } from "../model/decision-annotation/strip-decision.ts";
import type { CompactDecision } from "../model/decision-annotation/compact-decision.ts";
import { decide } from "./decide/decide.ts";
import { type AdmissionContext, type AdmissionRequest, type Outcome, unchanged } from "./outcome.ts";
import { verifiedDecision } from "../model/decision-annotation/signature.ts";
import { stillHolds } from "../model/decision-annotation/still-holds.ts";
import { takeCommand } from "./take-command.ts";
import { denyDecision, writeDecision, writing } from "./respond/write-decision.ts";

/**
 * An object that comes with its own decision: asked again because another webhook changed it, or restored from a backup. It
 * keeps its place, if the policy of today lets it be there at all.
 */
function keepCreated({ object, kind }: AdmissionRequest, context: AdmissionContext, earlier: CompactDecision): Outcome {
  const spec = specOf(object);
  const pins = Object.fromEntries(earlier.written.flatMap((field) => (field in spec ? [[field, spec[field]]] : [])));
  const question = { ...context, kind, operation: "CREATE", started: true, pins } as const;
  const decision = decide({ ...question, object: withoutFields(object, earlier.written) });
  return decision.allowed ? unchanged : denyDecision(decision, context.policy.texts);
}

function admitCreate(request: AdmissionRequest, context: AdmissionContext): Outcome {
  const { object, kind } = request;
  const earlier = verifiedDecision(context.sealKey, object);
  if (earlier !== null && stillHolds(object, earlier)) return keepCreated(request, context, earlier);
  // A decision that somebody copied from elsewhere is no decision for this object: it is made anew and overwritten.
  const decision = decide({ ...context, kind, object, operation: "CREATE" });
  return writeDecision({ ...writing(context), object, decision });
}

/**
 * The mutating webhook's answer. The one place that knows the order of the stages: check, facts, policy, placement
 * (`decide`), patch (`writeDecision`); an update first gets back what it lacks (`admitUpdate`).
 */
export function admit(given: AdmissionRequest, context: AdmissionContext): Outcome {
  // The finalizer has to be removable whatever the policy says by then.
  if (given.object.metadata.deletionTimestamp !== undefined) return unchanged;
  const { request, undo } = takeCommand(given);
  const outcome =
    request.operation === "UPDATE" && request.oldObject !== null
      ? admitUpdate({ ...request, oldObject: request.oldObject }, context, undo.length > 0)
      : admitCreate(request, context);
  return outcome.allowed && undo.length > 0 ? { ...outcome, patch: [...undo, ...outcome.patch] } : outcome;
}
