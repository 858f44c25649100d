import type { RunPlan, RunRecord } from "../../../model/runs/run-record.ts";
import { pausesSince, workEnd } from "../../../model/runs/run-times.ts";
import { latestEnd } from "./next-run-step.ts";

/**
 * The plan of a run whose machine is not there yet after a pause, later than its resume takes: its pause lasts longer, because its
 * work waits. The run ends later by that, but no later than its deadline and its limit. Unchanged for any other run. Pure.
 */
export function withLateResume(plan: RunPlan, record: RunRecord, now: number): RunPlan {
  const { startedAt, wasReady, end } = record;
  if (wasReady || end !== null) return plan;
  const pauses = pausesSince(plan, startedAt);
  const begun = pauses.filter(({ from }) => from <= now);
  const last = begun.at(-1);
  const planned = workEnd(plan, startedAt);
  if (last === undefined || last.to > now || planned === null) return plan;
  const late = now - last.to - (plan.resume ?? 0);
  const free = (latestEnd(plan, record) ?? Number.POSITIVE_INFINITY) - planned;
  const by = Math.floor(Math.min(late, free));
  if (by <= 0) return plan;
  const longer = { from: last.from, to: last.to + by };
  return { ...plan, pauses: [...begun.slice(0, -1), longer, ...pauses.slice(begun.length)] };
}
