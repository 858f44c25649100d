import type { Denial, Placement } from "../../../model/decision.ts";
import { startsLater } from "../../../model/decision-annotation/pause.ts";
import { vmNameOf } from "../../../model/read-workload.ts";
import { formatTime } from "../../../model/time.ts";
import type { WorkloadObject } from "../../../model/workload.ts";
import { denial } from "../../check/denial.ts";
import { type Change, isHeldBack, isNextRun, runsNow, specOf } from "../change.ts";
import type { Pins } from "./in-place.ts";

/** Whether the object keeps its place: it has its own decision and no pause holds it back. */
export const hasPlace = (change: Change): boolean =>
  change.standing === "own" && !isHeldBack(change) && !isNextRun(change);

/** Whether something of the object runs, also while its user pauses it, or while its status does not list it yet. */
const runsSomething = (change: Change): boolean => change.standing === "own" && !isNextRun(change) && runsNow(change);

/** Denials of another name of the machine, of which something runs: the release would have two machines at one provider. */
export function renamedDenials(change: Change): Denial[] {
  const { kind, object, oldObject } = change.update;
  const [before, after] = [vmNameOf(kind, oldObject), vmNameOf(kind, object)];
  if (before === after || !runsSomething(change)) return [];
  return [denial("ADM_IMMUTABLE", { field: "spec.vmName", actual: before ?? "" }, { wanted: after ?? "" })];
}

/** The start of an object that moves while something of it runs: now, unless its user names one. */
export function startNow(change: Change, object: WorkloadObject): { pins?: Pins } {
  if (specOf(object)["schedulingTime"] !== undefined || !runsSomething(change)) return {};
  return { pins: { schedulingTime: formatTime(change.context.nowSeconds) } };
}

/**
 * Denials of a later start for an object of which something runs. A decision with a start counts from then on, so until then it would be larger
 * than what it counts as.
 */
export function laterDenials(change: Change, to: Placement | null): Denial[] {
  const { earlier, context } = change;
  if (to === null || !startsLater(to.start, context.nowSeconds) || !runsSomething(change)) return [];
  const { start } = earlier.placement;
  return [denial("ADM_STARTED", { field: "spec.schedulingTime", actual: start }, { wanted: to.start, start })];
}
