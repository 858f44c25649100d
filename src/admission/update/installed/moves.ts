import type { Denial, Placement } from "../../../model/decision.ts";
import { isHeldBack, isInstalled, startsLater } from "../../../model/decision-annotation/pause.ts";
import { formatTime } from "../../../model/time.ts";
import type { WorkloadObject } from "../../../model/workload.ts";
import { denial } from "../../check/denial.ts";
import { type Change, isNextRun, specOf } from "../change.ts";
import type { Pins } from "./in-place.ts";

/** Whether the object keeps its place: it has its own decision and no pause holds it back. */
export const hasPlace = ({ update, context, standing }: Change): boolean =>
  standing === "own" && !isHeldBack(update.oldObject) && !isNextRun(update, context.owners);

/** Whether something of the object runs, also while its user pauses it, or while its status does not list it yet. */
function runsSomething({ update, context, standing }: Change): boolean {
  const { owners } = context;
  if (standing !== "own" || isNextRun(update, owners)) return false;
  return isInstalled(update.oldObject) || owners.runningOf(update.oldObject).length > 0;
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
