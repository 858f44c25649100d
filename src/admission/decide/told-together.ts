import jsonPatch, { type Operation } from "fast-json-patch";
import type { Decision, Denial } from "../../model/decision.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import type { DecisionRequest } from "../types.ts";

/** The object with the corrections of its denials; null if one of them is not certain. */
function corrected(object: WorkloadObject, denials: readonly Denial[]): WorkloadObject | null {
  const isKnown = denials.every(({ code, patch = [] }) => code.startsWith("ADM_") && patch.length > 0);
  if (!isKnown) return null;
  const patch = denials.flatMap((one) => one.patch ?? []) as Operation[];
  return jsonPatch.applyPatch(object, patch, false, false).newDocument;
}

/** A denial of a field, and the one that it gets once it is corrected: what is wrong with both, and only the correction that passes. */
function merged(denial: Denial, later: readonly Denial[]): Denial {
  const next = later.find(({ field }) => field === denial.field);
  if (next === undefined) return denial;
  const message = `${denial.message}, and once corrected, ${next.message}`;
  // The correction that passes was found on the corrected object.
  return { ...next, message, ...(next.patch && { patch: [...(denial.patch ?? []), ...next.patch] }) };
}

/**
 * The denials of an object, with those that it still has once it is corrected, where the corrections are certain: told with the first ones, or
 * the user would meet them in the next round. Null if there are none. `decide`: the decision with remedies.
 */
export function toldTogether(
  request: DecisionRequest,
  { denials }: Decision,
  decide: (request: DecisionRequest) => Decision,
): Denial[] | null {
  const object = corrected(request.object, denials);
  if (object === null) return null;
  const after = decide({ ...request, ask: undefined, advice: undefined, plan: undefined, object });
  if (after.denials.length === 0) return null;
  const fields = denials.map(({ field }) => field);
  const others = after.denials.filter(({ field }) => !fields.includes(field));
  return [...denials.map((one) => merged(one, after.denials)), ...others];
}
