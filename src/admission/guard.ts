import { describe, type ErrorCode, type ErrorParams } from "../errors.ts";
import { ANNOTATION } from "../model/names.ts";
import { type AdmissionContext, type AdmissionRequest, type Denied, type Outcome, unchanged } from "./types.ts";
import type { CompactDecision } from "../model/decision-annotation/compact-decision.ts";
import { verifiedDecision } from "../model/decision-annotation/signature.ts";
import { changedField, stillHolds } from "../model/decision-annotation/still-holds.ts";
import type { WorkloadObject } from "../model/workload.ts";

function refuse(code: ErrorCode, params: ErrorParams): Denied {
  const { message, remedy } = describe(code, params);
  return { allowed: false, message: `${message}; ${remedy} [${code}]`, codes: [code], decision: null };
}

const claimsDecision = (object: WorkloadObject): boolean =>
  object.metadata.annotations?.[ANNOTATION.decision] !== undefined ||
  object.metadata.annotations?.[ANNOTATION.seal] !== undefined;

/**
 * What a valid decision says counts against quotas and budgets until the object is gone, so it stays as it is during deletion, too.
 * An object without one has to stay deletable.
 */
function wasValid(key: AdmissionContext["signingKey"], object: WorkloadObject | null): boolean {
  const decision = object === null ? null : verifiedDecision(key, object);
  return object !== null && decision !== null && stillHolds(object, decision);
}

/**
 * The validating webhook's answer, after every mutating webhook: the decision on the object must be Landfall's own for
 * these inputs, and the written fields must have the decided values.
 */
export function guard(
  { operation, object, oldObject }: AdmissionRequest,
  { signingKey }: Pick<AdmissionContext, "signingKey">,
): Outcome {
  if (object.metadata.deletionTimestamp !== undefined && !wasValid(signingKey, oldObject)) return unchanged;
  const decision = verifiedDecision(signingKey, object);
  if (decision === null) {
    const wasDecided =
      operation === "CREATE" || (oldObject !== null && verifiedDecision(signingKey, oldObject) !== null);
    return wasDecided || claimsDecision(object)
      ? refuse("ADM_DECISION_FORGED", { annotation: ANNOTATION.decision })
      : unchanged;
  }
  return stillHolds(object, decision) ? unchanged : refuseChange(object, decision);
}

/** Names the field or input that is not as decided. */
function refuseChange(object: WorkloadObject, decision: CompactDecision): Denied {
  const changed = changedField(object, decision);
  if (changed === null)
    return refuse("ADM_DECIDED_FIELD", { field: "an input", actual: "another", allowed: "what was decided on" });
  const actual = changed.actual === undefined ? "missing" : JSON.stringify(changed.actual);
  return refuse("ADM_DECIDED_FIELD", { field: `spec.${changed.field}`, actual, allowed: changed.decided });
}
