import type { WrittenField } from "../../model/workload.ts";
import type { Decision, Denial } from "../../model/decision.ts";
import { isObject } from "../../model/json.ts";
import { bare, type Change, specOf } from "./change.ts";
import { clusterDenials } from "./cluster-denials.ts";
import { decideAlone } from "../decide/decide.ts";
import { denial, shown } from "../check/denial.ts";
import { fixedFieldDenials, lossWarnings, moveDenials, startedDenials } from "./fixed-fields.ts";
import { abilitiesOf, type Operation } from "../../model/operations.ts";
import type { Outcome } from "../types.ts";
import { poolsOf } from "../check/read-request.ts";
import { denyDecision, denyInstead, writeDecision, writing } from "../respond/write-decision.ts";
import type { PolicyWarning } from "../../model/policy.ts";

/** What the provider's operator does with a new instance type on a running machine. */
const resizeOf = ({ earlier }: Change): Operation =>
  abilitiesOf("VmTemplate", earlier.placement.provider).operations.resize;

type Pins = Partial<Record<WrittenField, unknown>>;

/** Pools keep their types for as long as they exist; a new pool has none yet. */
function keptTypes({ update }: Change): Record<string, unknown> {
  const old = specOf(update.oldObject)["poolInstanceTypes"];
  const names = new Set(poolsOf(specOf(update.object)).map(({ name }) => String(name)));
  return Object.fromEntries(Object.entries(isObject(old) ? old : {}).filter(([name]) => names.has(name)));
}

/** What stays of an installed cluster whatever its user left out: place, start, version, zones and the pools' types. */
function clusterPins(change: Change): Pins {
  const { provider, region, start } = change.earlier.placement;
  const [next, old] = [specOf(bare(change)), specOf(change.update.oldObject)];
  const pins: Pins = { provider, schedulingLocation: region, schedulingTime: start };
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
    const name = String(pool["name"]);
    const type = earlier.placement.cluster?.poolInstanceTypes[name] ?? "their type";
    const params = { pool: name, provider: earlier.placement.provider, detail: `its nodes are ${type}` };
    return [denial("ADM_POOL_FIXED", { field: `spec.nodePools[${String(index)}]` }, params)];
  });
}

/** An installed cluster stays in its place; pools come and go, scale, and its version rises by one minor. */
function redecideCluster(change: Change): Outcome {
  const { update, context } = change;
  const request = { ...context, kind: update.kind, operation: "UPDATE", started: true } as const;
  const decision = decideAlone({ ...request, object: bare(change), pins: clusterPins(change) });
  // What is no cluster at all is told first.
  const { texts } = context.policy;
  if (decision.denials.some(({ code }) => code.startsWith("ADM_"))) return denyDecision(decision, texts);
  const fixed = [...clusterDenials(change), ...startedDenials(change), ...moveDenials(change)];
  if (fixed.length > 0) return denyInstead(decision, fixed, texts);
  const resized = decision.allowed ? [] : resizeDenials(change);
  if (resized.length > 0) return denyInstead(decision, resized, texts);
  return writeDecision({ ...writing(context), object: update.object, decision, run: change.earlier.run ?? "" });
}

function sizeChanged({ update }: Change): boolean {
  const [next, old] = [specOf(update.object), specOf(update.oldObject)];
  return (["cpu", "memory"] as const).some((field) => next[field] !== old[field]);
}

/** What the earlier decision fixes: the place and the start always, the type where the size or the provider keeps it. */
function pinsOf({ earlier, values, kept }: Change, keepsType: boolean): Pins {
  const { provider, region, zone, image, start, instanceType } = earlier.placement;
  const place: Pins = { provider, schedulingLocation: region, schedulingTime: start };
  const { instanceType: decidedType, ...rest } = values;
  const pins: Pins = { ...rest, ...place };
  if (zone !== null) pins.zone = zone;
  if (image !== null) pins.image = image;
  if (keepsType && kept.includes("instanceType")) pins.instanceType = decidedType ?? instanceType;
  return pins;
}

function resizeDenial(change: Change): Denial {
  const { update, earlier } = change;
  const { provider, instanceType } = earlier.placement;
  const { cpu, memory } = specOf(update.object);
  const params = { provider, wanted: `${shown(cpu)} vCPU, ${shown(memory)} GiB`, detail: resizeOf(change).detail };
  return denial("ADM_RESIZE_UNSUPPORTED", { field: "spec.cpu", actual: instanceType }, params);
}

function restartWarning(decision: Decision, change: Change): PolicyWarning[] {
  const { earlier } = change;
  const [from, to] = [earlier.placement.instanceType, decision.placement?.instanceType ?? null];
  if (to === null || to === from) return [];
  return [{ code: "RESIZE_RESTARTS", message: `${from} becomes ${to}: ${resizeOf(change).detail}` }];
}

/** A run that has begun keeps its pauses: the controller follows them. */
function keepSegments(decision: Decision, { earlier }: Change): Decision {
  const { segments, end } = earlier.placement;
  if (segments === undefined || decision.placement === null) return decision;
  return { ...decision, placement: { ...decision.placement, segments, end } };
}

/** An installed release stays in its place; only its size may change, where the provider can do that. */
export function redecideInPlace(change: Change): Outcome {
  if (change.update.kind === "KaasCluster") return redecideCluster(change);
  const { update, context } = change;
  const resized = sizeChanged(change);
  const keepsType = !resized || !resizeOf(change).can;
  const request = { ...context, kind: update.kind, operation: "UPDATE", started: true } as const;
  const decision = keepSegments(
    decideAlone({ ...request, object: bare(change), pins: pinsOf(change, keepsType) }),
    change,
  );
  const fixed = [...fixedFieldDenials(change), ...moveDenials(change)];
  const { texts } = context.policy;
  if (fixed.length > 0) return denyInstead(decision, fixed, texts);
  if (!decision.allowed && keepsType && resized) return denyInstead(decision, [resizeDenial(change)], texts);
  const warnings = [...decision.warnings, ...restartWarning(decision, change), ...lossWarnings(change)];
  const run = change.earlier.run ?? "";
  return writeDecision({ ...writing(context), object: update.object, decision: { ...decision, warnings }, run });
}
