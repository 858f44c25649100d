import { abilitiesOf, type Operation } from "../../../model/places/operations.ts";
import type { WrittenField } from "../../../model/workload.ts";
import type { DecisionRequest } from "../../types.ts";
import { bare, type Change, specOf } from "../change.ts";
import { correctableFields } from "./correctable-fields.ts";
import { lacksMachine } from "./no-machine.ts";
import { installedSize, runningWorkloads } from "./running-workloads.ts";

/** Fields that stay as they were decided. */
export type Pins = Partial<Record<WrittenField, unknown>>;

/** What the provider's operator does with a new instance type on a running machine. */
export const resizeOf = ({ earlier }: Change): Operation =>
  abilitiesOf("VmTemplate", earlier.placement.provider).operations.resize;

/** Whether the machine may get another type: its provider changes it in place, or there is no machine that has one. */
export function mayResize(change: Change): boolean {
  const { oldObject } = change.update;
  if (resizeOf(change).can || lacksMachine(change)) return true;
  return correctableFields(oldObject).includes("instanceType");
}

/** A change of an object that runs: budgets limit only what it adds. */
export function requestFor(change: Change, pins: Pins): DecisionRequest {
  const { context, update } = change;
  const about = { kind: update.kind, object: bare(change), operation: "UPDATE" } as const;
  const installed = update.kind === "VmTemplate" ? { installed: installedSize(change) } : {};
  return { ...context, ...about, ...installed, started: true, running: runningWorkloads(change), pins };
}

/** Whether Landfall writes the type: the user never set one, or has removed it, which cannot change a machine that keeps its type. */
function isTypeOpen(change: Change): boolean {
  const { kept, update } = change;
  return kept.includes("instanceType") || (specOf(update.object)["instanceType"] === undefined && !mayResize(change));
}

/** What the earlier decision fixes: the place and the start always, the type where the size or the provider keeps it. */
export function pinsOf(change: Change, keepsType: boolean): Pins {
  const { earlier, values } = change;
  const { provider, region, zone, image, start, instanceType, capacityType } = earlier.placement;
  const place: Pins = { provider, schedulingLocation: region, schedulingTime: start };
  const { instanceType: decidedType, ...rest } = values;
  const pins: Pins = { ...rest, ...place };
  if (zone !== null) pins.zone = zone;
  if (image !== null) pins.image = image;
  if (capacityType !== undefined) pins.capacityType = capacityType;
  if (keepsType && isTypeOpen(change)) pins.instanceType = decidedType ?? instanceType;
  return pins;
}
