import { isDeepStrictEqual } from "node:util";
import { isInstalled, lacksPause, restoredPause } from "../../model/decision-annotation/pause.ts";
import { type SpecStanding, specStanding } from "../../model/decision-annotation/still-holds.ts";
import type { Decision, Denial } from "../../model/decision.ts";
import { ANNOTATION } from "../../model/names.ts";
import { withSource } from "../check/denial.ts";
import { makePatch } from "../../patch/make-patch.ts";
import { checkAlone, decideAlone } from "../decide/decide.ts";
import { signAgain } from "../respond/sign.ts";
import { denyDecision, denyInstead } from "../respond/write-decision.ts";
import {
  type AdmissionContext,
  type AdmissionRequest,
  type DecisionRequest,
  type Outcome,
  unchanged,
} from "../types.ts";
import { annotation, bare, type Change, changesMetadata, concernsUs, specOf, type Update, waits } from "./change.ts";
import { clusterDenials } from "./installed/cluster-denials.ts";
import { fixedFieldDenials, lossWarnings } from "./installed/fixed-fields.ts";
import { installedSize } from "./installed/running-workloads.ts";
import { endWarnings } from "./installed/end-warnings.ts";
import { retainedParts } from "./installed/kept-by-retain.ts";
import type { VerifiedDecision } from "../../model/decision-annotation/signature.ts";
import type { PlacedWorkload } from "../../model/places/load.ts";
import { takingOver } from "../../model/decision-annotation/compact-decision.ts";
import { withoutFields } from "../../model/decision-annotation/strip-decision.ts";
import type { WorkloadObject, WrittenField } from "../../model/workload.ts";

/** The subject of a denial, without positions in lists: removing one item moves the others. */
function aboutOf({ code, field, actual, allowed, message, source = "" }: Denial): string {
  const parts = [code, field, actual, allowed, message, source];
  return JSON.stringify(parts.map((part) => (typeof part === "string" ? part.replace(/\[\d{1,9}\]/g, "[]") : part)));
}

/**
 * The denials that a change adds. A denial was there before if the same bundle said the same about the same field and value:
 * another rule may use the same code, and another team the same words. As many equal ones as before are not added ones.
 */
function addedDenials(after: readonly Denial[], before: readonly Denial[]): Denial[] {
  const left = new Map<string, number>();
  for (const denial of before) left.set(aboutOf(denial), (left.get(aboutOf(denial)) ?? 0) + 1);
  return after.filter((denial) => {
    const about = aboutOf(denial);
    const count = left.get(about) ?? 0;
    left.set(about, count - 1);
    return count <= 0;
  });
}

/** The signature for the spec as the patch leaves it: the earlier one if it covers this spec. */
function signatureFor({ update, context, verified, values, isOwn }: Change): Record<string, string> {
  const object = { ...update.object, spec: { ...specOf(update.object), ...values } };
  const compact = annotation(update.oldObject, ANNOTATION.decision) ?? "";
  return signAgain({ context, request: update, object, compact, verified, isOwn })?.annotations ?? {};
}

/** Restores the earlier decision's fields and annotations on an object with unchanged inputs. `accepted`: the whole spec is. */
function restore(change: Change, warnings: string[], accepted: boolean): Outcome {
  const { update, values } = change;
  const { object, oldObject } = update;
  const annotations: Record<string, string | null> = {};
  for (const name of [ANNOTATION.decision, ANNOTATION.seal] as const)
    annotations[name] = annotation(oldObject, name) ?? null;
  if (accepted) Object.assign(annotations, signatureFor(change));
  if (waits(change)) Object.assign(annotations, restoredPause(object));
  return { allowed: true, patch: makePatch(object, { spec: values, annotations }), warnings, decision: null };
}

/** Whether the object, with what admission wrote, asks for what the stored one does. */
export const sameSpec = ({ update, values }: Change): boolean =>
  isDeepStrictEqual({ ...specOf(update.object), ...values }, specOf(update.oldObject));

/** Only a change that is denied is worth a search for remedies. */
function denyAdded(request: DecisionRequest, { denials }: Decision, added: readonly Denial[]): Outcome {
  const decision = decideAlone(request);
  const shown = decision.denials.filter((_, index) => added.some((entry) => entry === denials[index]));
  return denyDecision({ ...decision, denials: shown }, request.policy.texts);
}

/**
 * Whether what the stored object violates does not deny the change. No one accepted a spec that was changed while no webhook
 * was called, so what it violates counts as new. An earlier form of the signature covers no spec: then only what the change leaves
 * as it is stays as it was, without a signature of this form.
 */
function mayWaive(change: Change, stored: SpecStanding): boolean {
  if (stored === "accepted" || !concernsUs(change.update)) return true;
  return stored === "unknown" && sameSpec(change);
}

/** Whether nothing is asked that was not accepted before: a manifest that is applied again without what admission wrote. */
function asksNothing(change: Change, stored: SpecStanding): boolean {
  const { object, oldObject } = change.update;
  const { startNow } = ANNOTATION;
  if (stored !== "accepted" || !sameSpec(change) || changesMetadata(change.update)) return false;
  return annotation(object, startNow) === annotation(oldObject, startNow);
}

/** Whether the change takes back what was changed while no webhook was called: what is installed is the spec that was accepted. */
function takesBack({ update: { object }, values, verified }: Change, stored: SpecStanding): boolean {
  const asked = { ...object, spec: { ...specOf(object), ...values } };
  return stored === "changed" && specStanding(verified, asked) === "accepted";
}

/** Denials of changes that the provider cannot make to an installed object. */
function fixedDenials(change: Change, stored: SpecStanding): Denial[] {
  if (!isInstalled(change.update.oldObject) || takesBack(change, stored)) return [];
  return change.update.kind === "VmTemplate"
    ? fixedFieldDenials(change, change.values)
    : clusterDenials(change, change.values);
}

/**
 * Checks the change alone against the policy, and signs the spec if it is accepted. Earlier denials become warnings, so that an
 * object with old problems can still be changed.
 */
export function keepDecision(change: Change): Outcome {
  const { update, context, values, verified } = change;
  const stored = specStanding(verified, update.oldObject);
  if (asksNothing(change, stored)) return restore(change, [], true);
  const checked = {
    ...context,
    kind: update.kind,
    operation: "UPDATE",
    started: true,
    installed: installedSize(change),
    pins: values,
  } as const;
  const request = { ...checked, object: bare(change) };
  const decision = checkAlone(request);
  const fixed = [...fixedDenials(change, stored), ...retainedParts(change)];
  if (fixed.length > 0) return denyInstead(decision, fixed, context.policy.texts);
  const lost = [...lossWarnings(change), ...endWarnings(change)].map(({ code, message }) => `${message} [${code}]`);
  if (decision.allowed) return restore(change, lost, true);
  const before = mayWaive(change, stored) ? checkAlone({ ...checked, object: { ...update.oldObject } }).denials : [];
  const added = addedDenials(decision.denials, before);
  if (added.length > 0) return denyAdded(request, decision, added);
  const waived = decision.denials.map((entry) => `${withSource(entry)} [${entry.code}]`);
  return restore(change, [...lost, ...waived], stored === "accepted");
}

/** The values that a decision wrote into the spec, as far as the object has them. */
function writtenValues({ spec = {} }: WorkloadObject, written: readonly WrittenField[]): Record<string, unknown> {
  return Object.fromEntries(written.flatMap((field) => (field in spec ? [[field, spec[field]]] : [])));
}

/**
 * The answer to the second call for a request whose decision the object has already. The changes of other webhooks, and what others took in
 * between, are checked; what the stored object violates as well denies nothing, as in the first call.
 */
export function checkAgain(update: Update, context: AdmissionContext, { decision }: VerifiedDecision): Outcome {
  const { kind, object, oldObject } = update;
  const checked = { ...context, kind, operation: "UPDATE", started: true } as const;
  const pins = writtenValues(object, decision.written);
  const again = checkAlone({ ...checked, pins, object: withoutFields(object, decision.written) });
  if (again.allowed) return unchanged;
  const added = addedDenials(again.denials, checkAlone({ ...checked, object: { ...oldObject } }).denials);
  return added.length === 0 ? unchanged : denyDecision({ ...again, denials: added }, context.policy.texts);
}

/**
 * An object that has its own decision: the API server calls again, or it was restored. It keeps its place if the present
 * policy allows it, with the spec that it has by now. `running`: what of a restored object runs; its decision may give it more.
 */
export function keepOwn(
  request: AdmissionRequest,
  context: AdmissionContext,
  verified: VerifiedDecision,
  running?: readonly PlacedWorkload[],
): Outcome {
  const { object, kind, operation } = request;
  const { decision: earlier } = verified;
  const pins = writtenValues(object, earlier.written);
  const ran = running === undefined ? {} : { running };
  const asked = { ...context, kind, operation, started: true, pins, ...ran } as const;
  const decision = decideAlone({ ...asked, object: withoutFields(object, earlier.written) });
  if (!decision.allowed) return denyDecision(decision, context.policy.texts);
  const text = object.metadata.annotations?.[ANNOTATION.decision] ?? "";
  const compact = takingOver(text, context.takesOver);
  const changed = compact === text ? {} : { [ANNOTATION.decision]: compact };
  const signed = signAgain({ context, request, object, compact, verified, isOwn: false, isChanged: compact !== text });
  const pause = lacksPause(object, earlier, context.nowSeconds) ? restoredPause(object) : {};
  const patch = makePatch(object, { spec: {}, annotations: { ...changed, ...signed?.annotations, ...pause } });
  return { ...unchanged, patch, ...(signed === null ? {} : { signatureId: signed.id }) };
}
