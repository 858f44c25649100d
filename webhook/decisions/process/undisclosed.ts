import { admit } from "../../../src/admission/admit.ts";
import { refuse } from "../../../src/admission/check/denial.ts";
import type { AdmissionContext, AdmissionRequest, Denied } from "../../../src/admission/types.ts";

const NOTHING = { objects: 0, vcpus: 0, memoryGiB: 0, pricePerMonth: 0 };

/** The decision in a cluster without other objects. */
const alone = ({ relatedWorkloads, placed: _, ...context }: AdmissionContext): AdmissionContext => ({
  ...context,
  relatedWorkloads: relatedWorkloads && { ...relatedWorkloads, usage: NOTHING, sameVmName: [] },
});

/**
 * A denial for an unauthenticated caller. Where others are the reason, it gives the code and nothing of them: their names, their
 * number and what they use are data of their namespaces.
 */
export function undisclosed(denied: Denied, request: AdmissionRequest, context: AdmissionContext): Denied {
  const without = admit(request, alone(context));
  if (!without.allowed) return { ...without, codes: [...new Set([...without.codes, ...denied.codes])] };
  const { namespace = "default" } = request.object.metadata;
  const { message } = refuse("ADM_UNDISCLOSED", { namespace, codes: denied.codes.join(", ") });
  return { ...denied, message, decision: null, codes: denied.codes };
}
