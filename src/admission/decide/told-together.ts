import jsonPatch, { type Operation } from "fast-json-patch";
import type { Decision, Denial } from "../../model/decision.ts";
import { type WrittenField, writtenBy } from "../../model/wrong-value/corrections/likely-spec.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import { correctedSpec } from "../check/check-object.ts";
import type { DecisionRequest } from "../types.ts";

/** An object with the corrections of its denials. */
interface Corrected {
  object: WorkloadObject;
  /** The fields that hold examples, or that are omitted because nothing is known of what they mean. */
  guessed: readonly string[];
  isSure: boolean;
  /** The fields that the correction of a denial writes. */
  writtenBy: (denial: Denial) => readonly WrittenField[];
}

/** The object with corrections that are all certain; null if one of them is not. */
function surely(object: WorkloadObject, denials: readonly Denial[]): Corrected | null {
  const isKnown = denials.every(({ code, patch = [] }) => code.startsWith("ADM_") && patch.length > 0);
  if (!isKnown) return null;
  const patch = denials.flatMap((one) => one.patch ?? []) as Operation[];
  const { newDocument } = jsonPatch.applyPatch(object, patch, false, false);
  return { object: newDocument, guessed: [], isSure: true, writtenBy: (one) => writtenBy(one.patch) };
}

/** The object with the corrections of what its schema refuses, the uncertain ones as well; null if the schema refuses nothing, or it still. */
function likely({ kind, object }: DecisionRequest, denials: readonly Denial[]): Corrected | null {
  const isOfSchema = denials.every(({ code, field }) => code.startsWith("ADM_") && field?.startsWith("spec") === true);
  const found = isOfSchema ? correctedSpec(kind, object.spec) : null;
  if (found === null || found.written.size === 0) return null;
  const spec = found.spec as Record<string, unknown>;
  return {
    object: { ...object, spec },
    guessed: found.guessed,
    isSure: false,
    writtenBy: ({ field }) => found.written.get(field ?? "") ?? [],
  };
}

/** The denials that are about one field and its value, whatever the others hold. */
const OF_ONE_FIELD =
  /^(?:ADM_FIELDS|ADM_POOL_[A-Z]+|ADM_CIDR_[A-Z]+|POL_UNKNOWN_[A-Z]+|POL_KUBERNETES_[A-Z]+|POL_ZONE)$/;

/** Whether a denial of a corrected object holds without the examples in it as well. */
function holds({ code, field, message }: Denial, guessed: readonly string[]): boolean {
  if (guessed.length === 0) return true;
  if (!OF_ONE_FIELD.test(code) || field === null) return false;
  return !guessed.some((one) => one.startsWith(field) || `${field} ${message}`.includes(one));
}

/** The beginning of a later correction's text: the other fields that the first one writes. */
function before(written: readonly WrittenField[], { field, patch }: Denial): string {
  const replaced = patch?.map(({ path }) => path.replace("/spec/", "spec.")) ?? [field];
  const others = written.length < 2 ? [] : written.filter((one) => !replaced.includes(one.field));
  return others.length === 0 ? "" : `write ${others.map(({ text }) => text).join(" and ")}; then `;
}

/** A denial of a field, and the one that it gets once it is corrected: what is wrong with both, and only the correction that passes. */
function merged(denial: Denial, written: readonly WrittenField[], later: readonly Denial[]): Denial {
  const fields = [denial.field, ...written.map(({ field }) => field)];
  const found = later.find(({ field }) => field !== null && fields.includes(field));
  // The same rule says it of the object without the other faults.
  if (found === undefined || found.code === denial.code) return found ?? denial;
  const { patch, ...next } = found;
  const both = {
    ...next,
    message: `${denial.message}, and once corrected, ${next.message}`,
    remedy: before(written, found) + next.remedy,
  };
  // The correction that passes was found on the corrected object.
  return patch === undefined || denial.patch === undefined ? both : { ...both, patch: [...denial.patch, ...patch] };
}

/** A denial without the change that was found on an object whose corrections are not certain. */
function withoutPatch({ patch: _patch, ...denial }: Denial): Denial {
  return denial;
}

/**
 * The denials of an object, with those that it still has once it is corrected: told with the first ones, or the user would meet them in the
 * next round. Null if there are none. `decide`: the decision, `search`: with remedies.
 */
export function toldTogether(
  request: DecisionRequest,
  { denials }: Decision,
  decide: (request: DecisionRequest, search: boolean) => Decision,
): Denial[] | null {
  const after = surely(request.object, denials) ?? likely(request, denials);
  if (after === null) return null;
  const { object, guessed, isSure } = after;
  const changed = { ...request, ask: undefined, advice: undefined, plan: undefined, object };
  // A change that passes together with an example can fail with the user's own value.
  const later = decide(changed, guessed.length === 0).denials.filter((one) => holds(one, guessed));
  if (later.length === 0) return null;
  const fields = denials.flatMap((one) => [one.field, ...after.writtenBy(one).map(({ field }) => field)]);
  const others = later.filter(({ field }) => !fields.includes(field));
  return [
    ...denials.map((one) => merged(one, after.writtenBy(one), later)),
    ...(isSure ? others : others.map(withoutPatch)),
  ];
}
