import type { Decision, Denial } from "../../../model/decision.ts";
import { type Change, specOf } from "../change.ts";
import { decideAlone } from "../../decide/decide.ts";
import { denial, shown } from "../../check/denial.ts";
import type { DecisionRequest } from "../../types.ts";
import { resizeOf } from "./in-place.ts";

/** Whether its user gave the machine a type, and another one than it has. */
export function asksType({ update, earlier }: Change): boolean {
  const type = specOf(update.object)["instanceType"];
  return type !== undefined && type !== earlier.placement.instanceType;
}

/** The machine cannot get the type or the size. `detail`: why its provider does not change it. */
export function resizeDenial(change: Change, detail: string): Denial {
  const { update, earlier } = change;
  const { provider, instanceType } = earlier.placement;
  const { cpu, memory, instanceType: type } = specOf(update.object);
  const [field, wanted] = asksType(change)
    ? ["spec.instanceType", shown(type)]
    : ["spec.cpu", `${shown(cpu)} vCPU, ${shown(memory)} GiB`];
  return denial("ADM_RESIZE_UNSUPPORTED", { field, actual: instanceType }, { provider, wanted, detail });
}

/** The type that the machine would get of those into which its provider changes it; null if none fits. */
function fitting(request: DecisionRequest): string | null {
  const { instanceType: _named, ...spec } = request.object.spec ?? {};
  const { instanceType: _pinned, ...pins } = request.pins ?? {};
  const { placement } = decideAlone({ ...request, object: { ...request.object, spec }, pins });
  return placement?.instanceType ?? null;
}

/**
 * The denial of a type or size that its provider sells and does not change this machine into: Azure, for instance, boots it from one kind
 * of disk controller. Empty if the policy denied it for another reason.
 */
export function groupDenials(change: Change, asked: DecisionRequest, { allowed }: Decision): Denial[] {
  const { resizesFrom, ...free } = asked;
  if (allowed || resizesFrom === undefined || !decideAlone(free).allowed) return [];
  const { within = "some types" } = resizeOf(change);
  const type = fitting(asked);
  const named = type === null || !asksType(change) ? "" : `; ${type} is one that fits`;
  return [resizeDenial(change, `it changes a machine only between ${within}${named}`)];
}
