import jsonPatch, { type Operation } from "fast-json-patch";
import type { Decision, Denial } from "../../model/decision.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import type { DecisionRequest } from "../types.ts";

/** More denials would hide the first ones. */
const MOST = 5;

/** The object with the corrections of its denials; null if one of them is not certain. */
function corrected(object: WorkloadObject, denials: readonly Denial[]): WorkloadObject | null {
  const isKnown = denials.every(({ code, patch = [] }) => code.startsWith("ADM_") && patch.length > 0);
  if (!isKnown) return null;
  const patch = denials.flatMap((one) => one.patch ?? []) as Operation[];
  return jsonPatch.applyPatch(object, patch, false, false).newDocument;
}

/**
 * The denials that an object still has once it is corrected, where the corrections are certain: told with the first ones, or the user would
 * meet them in the next round. `decide`: the decision with remedies.
 */
export function toldTogether(
  request: DecisionRequest,
  { denials }: Decision,
  decide: (request: DecisionRequest) => Decision,
): Denial[] {
  const object = corrected(request.object, denials);
  if (object === null) return [];
  const after = decide({ ...request, ask: undefined, advice: undefined, plan: undefined, object });
  return after.denials.slice(0, MOST - denials.length);
}
