import type { Outcome } from "../../src/admission/types.ts";

/** kubectl prints each warning on a line; the API server truncates longer ones. */
const WARNING_LIMIT = 256;

export interface ReviewAnswer {
  apiVersion: "admission.k8s.io/v1";
  kind: "AdmissionReview";
  response: {
    uid: string;
    allowed: boolean;
    patchType?: "JSONPatch";
    /** base64 of the JSON */
    patch?: string;
    warnings?: string[];
    status?: { code: number; reason: string; message: string };
    auditAnnotations?: Record<string, string>;
  };
}

const audit = (outcome: Outcome): Record<string, string> | undefined =>
  outcome.decision === null ? undefined : { decision: outcome.decision.id, bundle: outcome.decision.policy.digest };

/** The AdmissionReview that answers `uid`. */
export function writeReview(uid: string, outcome: Outcome): ReviewAnswer {
  const response: ReviewAnswer["response"] = { uid, allowed: outcome.allowed };
  const auditAnnotations = audit(outcome);
  if (auditAnnotations !== undefined) response.auditAnnotations = auditAnnotations;
  if (!outcome.allowed) {
    response.status = { code: 403, reason: "Forbidden", message: outcome.message };
  } else {
    if (outcome.warnings.length > 0) response.warnings = outcome.warnings.map((text) => text.slice(0, WARNING_LIMIT));
    if (outcome.patch.length > 0) {
      response.patchType = "JSONPatch";
      response.patch = Buffer.from(JSON.stringify(outcome.patch)).toString("base64");
    }
  }
  return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
}
