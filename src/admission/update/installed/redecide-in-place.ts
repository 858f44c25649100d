import type { Decision, Denial } from "../../../model/decision.ts";
import { isObject, textOf } from "../../../model/json.ts";
import { bare, type Change, specOf } from "../change.ts";
import { clusterDenials } from "./cluster-denials.ts";
import { laterWarnings } from "./pool-numbers.ts";
import { taintWarnings } from "./pool-taints.ts";
import { decideAlone } from "../../decide/decide.ts";
import { beyondRules } from "../../check/check-ports.ts";
import { denial, hasCode, shown } from "../../check/denial.ts";
import { fixedFieldDenials, lossWarnings, moveDenials, startedDenials } from "./fixed-fields.ts";
import { keptEnd, mayResize, type Pins, pinsOf, requestFor, resizedFrom, resizeOf } from "./in-place.ts";
import { asksType, groupDenials, resizeDenial } from "./resize-denial.ts";
import { retainedParts } from "./kept-by-retain.ts";
import type { DecisionRequest, Outcome } from "../../types.ts";
import { addonWarnings } from "./version-denials.ts";
import { endWarnings } from "./end-warnings.ts";
import { poolsOf } from "../../check/read-request.ts";
import { placementFields } from "../../../model/decision-annotation/compact-decision.ts";
import { withParts } from "../planned-parts.ts";
import { denyDecision, denyInstead, writeDecision, writing } from "../../respond/write-decision.ts";
import type { PolicyWarning } from "../../../model/policy.ts";
import { otherAddress } from "../../../model/places/operations.ts";
import { note } from "../../../model/text/note-codes.ts";

/** Pools keep their types for as long as they exist; a new pool has none yet. */
function keptTypes({ update }: Change): Record<string, string> {
  const old = specOf(update.oldObject)["poolInstanceTypes"];
  const names = new Set(poolsOf(specOf(update.object)).map(({ name }) => textOf(name)));
  const types = Object.entries(isObject(old) ? old : {}).map(([name, type]) => [name, textOf(type)] as const);
  return Object.fromEntries(types.filter(([name]) => names.has(name)));
}

/** The fields that an installed cluster keeps if its user omits them: place, start, version, zones and the pools' types. */
function clusterPins(change: Change): Pins {
  const { provider, region, start } = change.earlier.placement;
  const [next, old] = [specOf(bare(change)), specOf(change.update.oldObject)];
  const pins: Pins = { provider, schedulingLocation: region, schedulingTime: start, ...keptEnd(change) };
  for (const field of ["kubernetesVersion", "zones"] as const) {
    const value = next[field] ?? old[field];
    if (value !== undefined) pins[field] = value;
  }
  pins.poolInstanceTypes = next["poolInstanceTypes"] ?? keptTypes(change);
  return pins;
}

const SIZE = ["cpu", "memory", "gpu"] as const;

/** Pools whose nodes are to be larger than their type: no managed service changes the type of a pool. */
function resizeDenials({ update, earlier }: Change): Denial[] {
  const old = new Map(poolsOf(specOf(update.oldObject)).map((pool) => [pool["name"], pool]));
  return poolsOf(specOf(update.object)).flatMap((pool, index) => {
    const before = old.get(pool["name"]);
    if (before === undefined || SIZE.every((field) => Number(pool[field] ?? 0) <= Number(before[field] ?? 0)))
      return [];
    const name = textOf(pool["name"]);
    const type = earlier.placement.cluster?.poolInstanceTypes[name] ?? "their type";
    const params = { pool: name, provider: earlier.placement.provider, detail: `its nodes are ${type}` };
    return [denial("ADM_POOL_FIXED", { field: `spec.nodePools[${String(index)}]` }, params)];
  });
}

/**
 * Pools whose nodes are to count as smaller than before. They keep their type, and so their size; which part of a cluster's size is whose
 * stands in no decision.
 */
function loweredDenials({ update, earlier }: Change): Denial[] {
  const old = new Map(poolsOf(specOf(update.oldObject)).map((pool) => [pool["name"], pool]));
  return poolsOf(specOf(update.object)).flatMap((pool, index) => {
    const before = old.get(pool["name"]);
    const field = SIZE.find((one) => Number(pool[one] ?? 0) < Number(before?.[one] ?? 0));
    if (before === undefined || field === undefined) return [];
    const name = textOf(pool["name"]);
    const type = earlier.placement.cluster?.poolInstanceTypes[name] ?? "their type";
    const where = { field: `spec.nodePools[${String(index)}].${field}`, allowed: shown(before[field]) };
    const detail = `its nodes stay ${type}, so ${field} cannot be lowered from ${shown(before[field])} to ${shown(pool[field])}`;
    return [denial("ADM_POOL_FIXED", where, { pool: name, provider: earlier.placement.provider, detail })];
  });
}

/** The values that the decision writes into the spec. */
function writtenFields({ written, placement }: Decision): Record<string, unknown> {
  if (placement === null) return {};
  const values = placementFields(placement);
  return Object.fromEntries(written.flatMap((field) => (values[field] === null ? [] : [[field, values[field]]])));
}

/** Decides another run on what is installed, from the request for a change of it. */
type DecideAgain = (asked: DecisionRequest) => Decision;

/** The run that the decision is made for, and whose a pause is: another run waits for no start, so that a pause is its user's. */
const ofRun = ({ earlier }: Change, again: DecideAgain | null): { run: string } | { heldBack: false } =>
  again === null ? { run: earlier.run ?? "" } : { heldBack: false };

/** Whether the object itself or its times are wrong. */
const isWrong = ({ denials }: Decision): boolean => denials.some(({ code }) => code.startsWith("ADM_"));

/** An installed cluster stays in its place; pools come and go, scale, and its version rises by one minor. */
function redecideCluster(change: Change, again: DecideAgain | null): Outcome {
  const { update, context } = change;
  const pins = clusterPins(change);
  const decision = (again ?? decideAlone)({ ...requestFor(change, pins), installedPools: keptTypes(change) });
  const { texts } = context.policy;
  // A spec that is not a cluster is reported first.
  if (isWrong(decision)) return denyDecision(decision, texts);
  const kept = { ...pins, ...writtenFields(decision) };
  const fixed = [
    ...clusterDenials(change, kept),
    ...startedDenials(change),
    ...moveDenials(change),
    ...retainedParts(change),
  ];
  if (fixed.length > 0) return denyInstead(decision, fixed, texts);
  const lowered = loweredDenials(change);
  if (lowered.length > 0) return denyInstead(decision, lowered, texts);
  const resized = decision.allowed ? [] : resizeDenials(change);
  if (resized.length > 0) return denyInstead(decision, resized, texts);
  const warnings = [
    ...decision.warnings,
    ...laterWarnings(change, kept),
    ...taintWarnings(change, kept),
    ...addonWarnings(change),
    ...endWarnings(change),
  ];
  const decided = { object: update.object, decision: { ...decision, warnings }, ...ofRun(change, again) };
  return writeDecision({ ...writing(context), ...decided });
}

function sizeChanged({ update }: Change): boolean {
  const [next, old] = [specOf(update.object), specOf(update.oldObject)];
  return (["cpu", "memory"] as const).some((field) => next[field] !== old[field]);
}

/** Whether the machine would have another type than now, or is asked for a size that its type has not. */
function isResized(change: Change, { allowed, placement }: Decision): boolean {
  const type = placement?.instanceType;
  if (allowed) return type !== undefined && type !== change.earlier.placement.instanceType;
  return asksType(change) || sizeChanged(change);
}

function restartWarning(decision: Decision, change: Change): PolicyWarning[] {
  const { earlier } = change;
  const [from, to] = [earlier.placement.instanceType, decision.placement?.instanceType ?? null];
  if (to === null || to === from) return [];
  const address = otherAddress(specOf(change.update.object), resizeOf(change));
  const moved = address === null ? "" : `; ${address}`;
  return [note("RESIZE_RESTARTS", `${from} becomes ${to}: ${resizeOf(change).detail}${moved}`)];
}

/** A smaller size of a machine whose type its provider does not change: it fits, and makes the machine neither smaller nor cheaper. */
function keptWarning(change: Change, { placement }: Decision): PolicyWarning[] {
  const [next, old] = [specOf(change.update.object), specOf(change.update.oldObject)];
  const lowered = (["cpu", "memory"] as const).some((field) => Number(next[field]) < Number(old[field]));
  if (!lowered || mayResize(change)) return [];
  const { provider, instanceType } = change.earlier.placement;
  const price = placement?.pricePerHour ?? null;
  const cost = price === null ? "" : ` at ${String(price)} USD/h`;
  const message = `the machine stays ${instanceType}${cost}: ${provider} makes none smaller in place, because ${resizeOf(change).detail}; for a smaller one, delete the object and create it again`;
  return [note("RESIZE_KEEPS", message)];
}

/** Denials of another size, where the provider does not give the machine one in place. */
function sizeDenials(change: Change, asked: DecisionRequest, decision: Decision): Denial[] {
  if (!mayResize(change) && !hasCode(decision, "PLACEMENT_BUDGET") && isResized(change, decision))
    return [resizeDenial(change, resizeOf(change).detail)];
  return groupDenials(change, asked, decision);
}

/** More rules of ports than a security group has, and than the machine has. */
function ruleDenials({ update, earlier }: Change): Denial[] {
  if (earlier.placement.provider !== "aws") return [];
  const denied = beyondRules(specOf(update.object), specOf(update.oldObject));
  return denied === null ? [] : [denied];
}

/** An installed release stays in its place; only its size may change, where the provider can do that. `again`: null for a change of the present run. */
export function redecideInPlace(change: Change, again: DecideAgain | null = null): Outcome {
  if (change.update.kind === "KaasCluster") return redecideCluster(change, again);
  const { update, context } = change;
  const pins = pinsOf(change, !mayResize(change) || !sizeChanged(change));
  const asked = { ...requestFor(change, pins), ...resizedFrom(change) };
  // A run that has begun keeps its pauses: the controller follows them.
  const decision = again?.(asked) ?? withParts(asked, decideAlone(asked), change.earlier.placement);
  const kept = { ...pins, ...writtenFields(decision) };
  const fixed = [
    ...fixedFieldDenials(change, kept),
    ...moveDenials(change),
    ...retainedParts(change),
    ...ruleDenials(change),
  ];
  const { texts } = context.policy;
  if (fixed.length > 0) return denyInstead(decision, fixed, texts);
  // The times of another run are its own: no size would help.
  if (again !== null && isWrong(decision)) return denyDecision(decision, texts);
  const beyond = sizeDenials(change, asked, decision);
  if (beyond.length > 0) return denyInstead(decision, beyond, texts);
  const sized = [...restartWarning(decision, change), ...keptWarning(change, decision)];
  const warnings = [...decision.warnings, ...sized, ...lossWarnings(change), ...endWarnings(change)];
  const decided = { object: update.object, decision: { ...decision, warnings }, ...ofRun(change, again) };
  return writeDecision({ ...writing(context), ...decided });
}
