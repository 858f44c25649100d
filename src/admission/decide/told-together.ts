import type { Decision, Denial } from "../../model/decision.ts";
import { type LikelySpec, withOwnIndices, type WrittenField } from "../../model/wrong-value/corrections/likely-spec.ts";
import { table } from "../../model/table.ts";
import { leftOutBy } from "../../model/wrong-value/explain-value.ts";
import { isPlaceholder } from "../../model/wrong-value/placeholder.ts";
import { denial } from "../check/denial.ts";
import { unlikelySizes } from "../check/unlikely-sizes.ts";
import { type Corrected, corrected, omitting } from "../remedy/corrected-object.ts";
import type { DecisionRequest } from "../types.ts";

/** Decides, and looks for changes that pass if `search` says so. */
type Decide = (request: DecisionRequest, search: boolean) => Decision;

/** The denials that are about one field and its value, whatever the others hold. */
const OF_ONE_FIELD =
  /^(?:ADM_FIELDS|ADM_DEADLINE_[A-Z_]+|ADM_LIFETIME_SHORT|ADM_START_IMPOSSIBLE|ADM_DURATION|ADM_TIME|ADM_POOL_[A-Z]+|ADM_CIDR_[A-Z]+|POL_RESIDENCY|POL_SPOT_STOP|POL_RUN_STOP|POL_UNKNOWN_[A-Z]+|POL_IMAGE|POL_KUBERNETES_[A-Z]+|POL_NETWORK_[A-Z]+|POL_ZONE)$/;

/** The other fields on which such a denial depends. */
const DEPENDS: Readonly<Record<string, readonly string[]>> = table({
  ADM_DEADLINE_TOO_SHORT: ["spec.duration"],
  ADM_LIFETIME_SHORT: ["spec.duration"],
  ADM_START_IMPOSSIBLE: ["spec.duration", "spec.deadline"],
  POL_IMAGE: ["spec.provider", "spec.arch"],
  POL_RESIDENCY: ["spec.provider", "spec.dataResidency"],
  POL_RUN_STOP: ["spec.provider", "spec.whenDone", "spec.interruptible", "spec.interruptible.by"],
  POL_SPOT_STOP: ["spec.capacity", "spec.whenDone", "spec.interruptible", "spec.interruptible.by"],
});

/** Whether a denial is about a machine type that no provider has, whatever its size. */
const isUnknownType = ({ policy: { catalog } }: DecisionRequest, { code, actual }: Denial): boolean =>
  code === "POL_INSTANCE_TYPE" && !Object.values(catalog.types ?? {}).some((names) => names.includes(String(actual)));

/** Whether a denial of a corrected object holds without the examples in it as well. */
function holds(request: DecisionRequest, denial: Denial, guessed: readonly string[]): boolean {
  const { code, field, message } = denial;
  if (guessed.length === 0 || isUnknownType(request, denial)) return true;
  if (!OF_ONE_FIELD.test(code) || field === null) return false;
  if (DEPENDS[code]?.some((one) => guessed.includes(one)) === true) return false;
  return !guessed.some((one) => one.startsWith(field) || `${field} ${message}`.includes(one));
}

const HARDLY_MEANT = ["ADM_MEMORY_LARGE", "ADM_CPU_LARGE"];

/** A switch or a map, which is not at fault where it needs other fields. A name or a number can be. */
const IS_SWITCH = /^[^:]{1,60}: (?:\{.{0,500}\}|true|false)$/;

/** Whether a correction omits what a field needs to be written as: it has neither `network: ` nor `no network`. */
function lacks(remedy: string, { field, text }: WrittenField): boolean {
  const name = /\w{1,60}$/.exec(field)?.[0] ?? "";
  return IS_SWITCH.test(text) && !new RegExp(`\\b(?:no ${name}\\b|${name}[.:]? ?[^\\s.,;])`).test(remedy);
}

/** The beginning of a later correction's text: the fields that the first one writes and that it does not. */
function before(own: Denial, written: readonly WrittenField[], { field, patch, remedy }: Denial): string {
  const replaced = patch?.map(({ path }) => path.replace("/spec/", "spec.")) ?? [field];
  const isReplaced = (one: string): boolean => replaced.some((at) => one === at || one.startsWith(`${at ?? ""}.`));
  const others = written.filter(
    (one) => !isReplaced(one.field) || (own.field !== one.field && patch === undefined && lacks(remedy, one)),
  );
  return others.length === 0 ? "" : `write ${others.map(({ text }) => text).join(" and ")}; then `;
}

/** The value that a later correction gives as an example for its field: `[serviceCidr, 172.20.0.0/16]`. */
function exampleIn({ field, remedy }: Denial): [name: string, value: string][] {
  const name = /\.(\w{1,60})$/.exec(field ?? "")?.[1] ?? "";
  const [, given, value] = /e\.g\. (\w{1,60}): ([^\s,]{1,60})(?:$|, or )/.exec(remedy) ?? [];
  return value === undefined || name !== given ? [] : [[name, value]];
}

/** A correction that writes a whole map, with the values that later corrections write there; null for others. One that another correction makes is only removed. */
function withLaterValues({ remedy }: Denial, later: readonly Denial[]): string | null {
  if (remedy.startsWith("remove it: ") && remedy.endsWith(" has it")) return remedy;
  const [, map = ""] = /^write (\w{1,40}): \{/.exec(remedy) ?? [];
  const values = later.filter(({ field }) => isWithin(field, `spec.${map}`)).flatMap(exampleIn);
  const whole = values.reduce((text, [name, value]) => {
    return text.replace(new RegExp(`(?<=[{ ]${name}: )[^,{}]{1,60}(?=[,}])`), () => value);
  }, remedy);
  return whole === remedy ? null : whole;
}

const isWithin = (field: string | null, map: string | null): boolean => field?.startsWith(`${map ?? ""}.`) === true;

/** The later denial of one of these fields, or of a part of it. */
const laterFor = (fields: readonly (string | null)[], later: readonly Denial[]): Denial | undefined =>
  later.find(({ field }) => field !== null && fields.includes(field)) ??
  later.find(({ code, field }) => code.startsWith("ADM_") && fields.some((one) => isWithin(field, one)));

/** A denial of a field, and the one that it gets once it is corrected: what is wrong with both, and only the correction that passes. `named`: the later ones whose values the object has in a field. */
function merged(
  denial: Denial,
  written: readonly WrittenField[],
  later: readonly Denial[],
  named: ReadonlySet<Denial>,
): Denial {
  const found = laterFor([denial.field, ...written.map(({ field }) => field)], later);
  // The values of a map can be wrong that another field writes into it.
  if (found === undefined) return { ...denial, remedy: withLaterValues(denial, later) ?? denial.remedy };
  // Of fields that write the types of all pools, one names the type at fault.
  if (named.has(found) && found.actual !== denial.actual) return { ...denial, remedy: found.remedy };
  // The same rule says it of the object without the other faults.
  if (found.code === denial.code) return found;
  const message = `${denial.message}, and once corrected, ${found.message}`;
  // A size that is hardly meant may be meant: the message has both corrections.
  if (HARDLY_MEANT.includes(found.code)) return { ...denial, message, remedy: `${denial.remedy}; ${found.remedy}` };
  const { patch, ...next } = found;
  const remedy =
    withLaterValues(denial, later) ?? before(denial, written, found) + next.remedy + leftOutBy(denial.remedy);
  const both = { ...next, message, remedy };
  // The correction that passes was found on the corrected object.
  return patch === undefined || denial.patch === undefined ? both : { ...both, patch: [...denial.patch, ...patch] };
}

/** A denial without the change that was found on an object whose corrections are not certain. */
function withoutPatch({ patch: _patch, ...denial }: Denial): Denial {
  return denial;
}

/** Sizes that the schema takes and that are hardly meant, but for those with a unit. They deny nothing alone, and the next answer could only warn of them. */
function suspicious({ object, guessed, writtenBy: written }: Corrected, denials: readonly Denial[]): Denial[] {
  const isGuess = (field: string): boolean => guessed.some((one) => one === field || field.startsWith(`${one}[`));
  const hasUnit = (field: string): boolean =>
    denials.some((one) => typeof one.actual === "string" && written(one).some((other) => other.field === field));
  return unlikelySizes(object.spec)
    .filter(({ field }) => !isGuess(field) && !isGuess(field.replace(/memory$/, "cpu")) && !hasUnit(field))
    .map(({ code, field, actual, ...texts }) => denial(code, { field, actual }, texts));
}

/** Whether the schema refuses a value, and does not only warn of a placeholder that it accepts. */
const isRefused = ({ code, actual }: Denial): boolean => code === "ADM_SCHEMA" && !isPlaceholder(String(actual));

/** The denials of a corrected object, and of the same without what these are about. */
function laterOf(request: DecisionRequest, after: Corrected, decide: Decide): Denial[] {
  return deniedLater(request, after, decide).flatMap((one) => withIndices(one, after.inFront ?? []) ?? []);
}

/** A denial with the indices of the lists that the user wrote; null if it is about another entry. */
function withIndices(one: Denial, inFront: LikelySpec["inFront"]): Denial | null {
  if (inFront.length === 0) return one;
  const field = one.field === null ? null : withOwnIndices(one.field, inFront);
  const message = withOwnIndices(one.message, inFront);
  return message === null || (field === null && one.field !== null) ? null : { ...one, field, message };
}

/** The same by the indices of the corrected object. */
function deniedLater(request: DecisionRequest, { object, guessed, isSure }: Corrected, decide: Decide): Denial[] {
  const changed = { ...request, ask: undefined, advice: undefined, plan: undefined, object };
  // A change that passes together with an example can fail with the user's own value.
  const all = decide(changed, guessed.length === 0).denials;
  // A correction that its schema refuses again is not what is meant.
  if (!isSure && all.some(isRefused)) return [];
  const found = all.filter((one) => holds(request, one, guessed));
  const next = found.length === 0 ? null : omitting(object, found);
  if (next === null) return found;
  const others = decide({ ...changed, object: next.object }, false).denials;
  return [...found, ...others.filter((one) => holds(request, one, [...guessed, ...next.guessed]))];
}

/**
 * The denials of an object, with those that it still has once it is corrected: told with the first ones, or the user would meet them in the
 * next round. Null if there are none. `decide`: the decision, `search`: with remedies.
 */
export function toldTogether(request: DecisionRequest, { denials }: Decision, decide: Decide): Denial[] | null {
  const after = corrected(request, denials);
  if (after === null) return null;
  const { isSure } = after;
  const found = laterOf(request, after, decide);
  const later = [
    ...found,
    ...suspicious(after, denials).filter(({ field }) => !found.some((one) => one.field === field)),
  ];
  if (later.length === 0) return null;
  const fields = denials.flatMap((one) => [one.field, ...after.writtenBy(one).map(({ field }) => field)]);
  const isMerged = ({ code, field }: Denial): boolean =>
    fields.includes(field) || (code.startsWith("ADM_") && fields.some((one) => isWithin(field, one)));
  const others = later.filter((one) => !isMerged(one));
  const values = new Set(denials.map(({ actual }) => actual));
  const named = new Set(later.filter(({ code, actual }) => code === "POL_INSTANCE_TYPE" && values.has(actual)));
  return [
    ...denials.map((one) => merged(one, after.writtenBy(one), later, named)),
    ...(isSure ? others : others.map(withoutPatch)),
  ];
}
