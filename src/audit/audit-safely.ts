import { readDecision } from "../model/decision-annotation/compact-decision.ts";
import { isKind } from "../model/names.ts";
import { placeName, type WorkloadObject } from "../model/workload.ts";
import { parseTime } from "../model/time.ts";
import { asLandfallError, type LandfallError } from "../errors.ts";
import { type AuditContext, auditObject } from "./audit-object.ts";
import type { Finding } from "./finding.ts";

/** The finding of an object for which the rules failed: the webhook would deny it, too. Null if Landfall does not decide it. */
export function failedFinding(object: WorkloadObject, error: LandfallError, nowSeconds: number): Finding | null {
  const { kind } = object;
  if (!isKind(kind)) return null;
  const { namespace = "default", name = "" } = object.metadata;
  const placement = readDecision(object)?.placement ?? null;
  const start = placement === null ? null : parseTime(placement.start);
  return {
    ...{ kind, namespace, name, verdict: "deny", codes: [error.code], message: error.message },
    ...{ place: placement === null ? null : placeName(placement), to: null, gramsSaved: null },
    started: start === null || start <= nowSeconds,
  };
}

/**
 * Like `auditObject`: an object for which the rules fail is a finding, and does not end the scan. Throws BUNDLE_TIMEOUT, after
 * which the bundle must not be used again.
 */
export function auditSafely(object: WorkloadObject, context: AuditContext): Finding | null {
  try {
    return auditObject(object, context);
  } catch (thrown) {
    const error = asLandfallError(thrown);
    if (error.code === "BUNDLE_TIMEOUT") throw error;
    return failedFinding(object, error, context.nowSeconds);
  }
}
