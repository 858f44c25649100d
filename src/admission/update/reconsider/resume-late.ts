import { isHeldBack, isPaused } from "../../../model/decision-annotation/pause.ts";
import type { Decision } from "../../../model/decision.ts";
import { formatTime, parseTime } from "../../../model/time.ts";
import { QUARTER_SECONDS } from "../../../placement/possible-starts.ts";
import { hasCode } from "../../check/denial.ts";
import { hasBudgets } from "../../decide/added-load.ts";
import { decideAlone } from "../../decide/decide.ts";
import { denyDecision, writeDecision, writing } from "../../respond/write-decision.ts";
import type { DecisionRequest, Outcome } from "../../types.ts";
import { bare, type Change } from "../change.ts";
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

/**
 * An object whose pause ends after its decided start, with nothing installed: its run takes hours in which no one counted it. With
 * budgets, or parts, it is decided for these hours, in its place, or in another one with capacity. Null for every other change.
 */
export function resumeLate(change: Change): Outcome | null {
  const { update, context, earlier } = change;
  if (!isHeldBack(update.oldObject) || isPaused(update.object) || !isLate(change)) return null;
  const decision = decideNow(change);
  if (decision === null) return null;
  if (hasCode(decision, "PLACEMENT_BUDGET")) return denyDecision(decision, context.policy.texts);
  // Other denials are those of the present policy, which keeps what was accepted.
  if (!decision.allowed) return null;
  const moves = earlier.moves ?? [];
  return writeDecision({ ...writing(context), object: update.object, decision, moves });
}
