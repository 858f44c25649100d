import type { Decision, Denial } from "../../model/decision.ts";
import type { PolicyWarning } from "../../model/policy.ts";
import type { WrittenField } from "../../model/workload.ts";
import { bare, type Change, specOf } from "./change.ts";
import { decideAlone } from "../decide/decide.ts";
import { denial, shown } from "../check/denial.ts";
import { fixedFieldDenials, lossWarnings } from "./fixed-fields.ts";
import { moveDenials } from "./move-denials.ts";
import type { Outcome } from "../types.ts";
import { redecideCluster } from "./redecide-cluster.ts";
import { RESIZE } from "./resize.ts";
import { denyInstead, writeDecision, writing } from "../respond/write-decision.ts";

function sizeChanged({ update }: Change): boolean {
  const [next, old] = [specOf(update.object), specOf(update.oldObject)];
  return (["cpu", "memory"] as const).some((field) => next[field] !== old[field]);
}

type Pins = Partial<Record<WrittenField, unknown>>;

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

function resizeDenial({ update, earlier }: Change): Denial {
  const { provider, instanceType } = earlier.placement;
  const { cpu, memory } = specOf(update.object);
  const params = { provider, wanted: `${shown(cpu)} vCPU, ${shown(memory)} GiB`, detail: RESIZE[provider].detail };
  return denial("ADM_RESIZE_UNSUPPORTED", { field: "spec.cpu", actual: instanceType }, params);
}

function restartWarning(decision: Decision, { earlier }: Change): PolicyWarning[] {
  const [from, to] = [earlier.placement.instanceType, decision.placement?.instanceType ?? null];
  if (to === null || to === from) return [];
  return [{ code: "RESIZE_RESTARTS", message: `${from} becomes ${to}: ${RESIZE[earlier.placement.provider].detail}` }];
}

/** An installed release stays in its place; only its size may change, where the provider can do that. */
export function redecideInPlace(change: Change): Outcome {
  if (change.update.kind === "KaasCluster") return redecideCluster(change);
  const { update, context, earlier } = change;
  const resized = sizeChanged(change);
  const keepsType = !resized || !RESIZE[earlier.placement.provider].inPlace;
  const request = { ...context, kind: update.kind, operation: "UPDATE", started: true } as const;
  const decision = decideAlone({ ...request, object: bare(change), pins: pinsOf(change, keepsType) });
  const fixed = [...fixedFieldDenials(change), ...moveDenials(change)];
  const { texts } = context.policy;
  if (fixed.length > 0) return denyInstead(decision, fixed, texts);
  if (!decision.allowed && keepsType && resized) return denyInstead(decision, [resizeDenial(change)], texts);
  const warnings = [...decision.warnings, ...restartWarning(decision, change), ...lossWarnings(change)];
  return writeDecision({ ...writing(context), object: update.object, decision: { ...decision, warnings } });
}
