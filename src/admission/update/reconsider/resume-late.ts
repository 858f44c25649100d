import { isPaused } from "../../../model/decision-annotation/pause.ts";
import type { Decision, Denial } from "../../../model/decision.ts";
import { formatTime, parseDuration, parseTime, WEEK_SECONDS } from "../../../model/time.ts";
import { sizeOf } from "../../../model/read-workload.ts";
import { placeName } from "../../../model/workload.ts";
import { QUARTER_SECONDS } from "../../../placement/possible-starts.ts";
import { denial, hasCode } from "../../check/denial.ts";
import { hasBudgets, lacksCapacity } from "../../decide/added-load.ts";
import { decideAlone } from "../../decide/decide.ts";
import { denyDecision, denyInstead, writeDecision, writing } from "../../respond/write-decision.ts";
import type { DecisionRequest, Outcome } from "../../types.ts";
import { bare, type Change, isHeldBack, specOf } from "../change.ts";
import { runningWorkloads } from "../installed/running-workloads.ts";

/** Whether a run that starts now takes more than a few minutes after its decided end. One without an end has all hours. */
function isLate({ earlier: { placement }, context }: Change): boolean {
  const start = parseTime(placement.start);
  return placement.end !== null && start !== null && context.nowSeconds - start >= QUARTER_SECONDS;
}

/** Whether the run was decided to pause. */
const pauses = ({ earlier }: Change): boolean => earlier.placement.segments !== undefined;

/**
 * The decision for a start now: in the decided place if that has capacity then. Parts of a run that was to begin earlier are planned again, so that
 * they leave enough time before the deadline. Null for other runs without budgets.
 */
function decideNow(change: Change): Decision | null {
  const { update, context, earlier, values } = change;
  const now = { schedulingTime: formatTime(context.nowSeconds) };
  const about = { kind: update.kind, object: bare(change), operation: "UPDATE" } as const;
  const { provider, region } = earlier.placement;
  const pins = { ...values, provider, schedulingLocation: region, ...now };
  const begun = pauses(change) ? {} : { started: true, running: runningWorkloads(change) };
  const request: DecisionRequest = { ...context, ...about, ...begun, pins };
  if (!pauses(change) && !hasBudgets(request)) return null;
  const here = decideAlone(request);
  if (!hasCode(here, "PLACEMENT_BUDGET")) return here;
  const elsewhere = decideAlone({ ...context, ...about, pins: now });
  return elsewhere.allowed ? elsewhere : here;
}

/** The time that the run takes from now on: its work, or what is left until its decided end. A run without an end is checked for a week. */
function secondsLeft({ update, context, earlier: { placement } }: Change): number {
  const { duration: text } = specOf(update.object);
  const duration = typeof text === "string" ? parseDuration(text) : null;
  const end = placement.end === null ? null : parseTime(placement.end);
  return Math.max(duration ?? WEEK_SECONDS, (end ?? 0) - context.nowSeconds);
}

/** The denial of a start now in the decided place, if that is full; whatever else denies it. */
function budgetDenials(change: Change): Denial[] {
  const { update, context, earlier } = change;
  const about = { kind: update.kind, object: bare(change), operation: "UPDATE" } as const;
  const place = placeName(earlier.placement);
  const sizes = runningWorkloads(change).filter((one) => one.place === place);
  const asked = sizeOf(update.kind, specOf(update.object)).vcpus;
  const vcpus = Math.max(asked, earlier.placement.size?.vcpus ?? 0, ...sizes.map((one) => one.vcpus));
  if (!lacksCapacity({ ...context, ...about, pins: change.values }, { place, vcpus }, secondsLeft(change))) return [];
  return [denial("PLACEMENT_BUDGET", { field: null }, { places: place })];
}

/**
 * An object whose pause ends after its decided start, with nothing installed: its run takes hours in which no one counted it. With
 * budgets, or parts, it is decided for these hours, in its place, or in another one with capacity. Null for every other change.
 */
export function resumeLate(change: Change): Outcome | null {
  const { update, context, earlier } = change;
  if (!isHeldBack(change) || isPaused(update.object) || !isLate(change)) return null;
  const decision = decideNow(change);
  if (decision === null) return null;
  if (hasCode(decision, "PLACEMENT_BUDGET")) return denyDecision(decision, context.policy.texts);
  if (!decision.allowed) {
    // Other denials are those of the present policy and of times that have passed. They keep what was accepted, but not beyond the budgets.
    const full = budgetDenials(change);
    return full.length > 0 ? denyInstead(decision, full, context.policy.texts) : null;
  }
  const moves = earlier.moves ?? [];
  return writeDecision({ ...writing(context), object: update.object, decision, moves });
}
