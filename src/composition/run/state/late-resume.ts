import type { RunPlan, RunRecord } from "../../../model/runs/run-record.ts";
import { pausesSince, workEnd } from "../../../model/runs/run-times.ts";
import { latestEnd } from "./next-run-step.ts";
import { paceOf } from "./run-time.ts";

/** The pauses of a run that began before `now`, and the one since which its machine is missing; null if none lasts too long. */
function latePause({ plan, record }: { plan: RunPlan; record: RunRecord }, now: number) {
  const { startedAt, meter } = record;
  // A machine that was never seen off has worked.
  if (meter?.on === true) return null;
  const pauses = pausesSince(plan, startedAt);
  const begun = pauses.filter(({ from }) => from <= now);
  const last = begun.at(-1);
  if (last === undefined) return null;
  // Later ones may have begun since its machine went.
  const since = meter?.on === false ? meter.at : Number.POSITIVE_INFINITY;
  const open = Math.max(
    0,
    begun.findLastIndex(({ from }) => from <= since),
  );
  if (last.to > now && begun[open] === last) return null;
  return {
    before: begun.slice(0, open),
    from: begun[open]?.from ?? last.from,
    last,
    after: pauses.slice(begun.length),
  };
}

/**
 * The plan of a run whose machine is not there after a pause, later than its resume takes: the pause lasts longer, because its work waits, also
 * over pauses that were planned meanwhile. Unchanged for any other run. Pure.
 */
export function withLateResume(plan: RunPlan, record: RunRecord, now: number): RunPlan {
  const { wasReady, end } = record;
  const late = wasReady || end !== null || plan.duration === null ? null : latePause({ plan, record }, now);
  if (late === null) return plan;
  const { before, from, last, after } = late;
  const soonest = last.to > now ? now : now - (plan.resume ?? 0);
  const to = Math.max(Math.floor(Math.max(last.to, soonest)), from + 1);
  return { ...plan, pauses: [...before, { from, to }, ...after] };
}

/** Seconds of the work of a run that do not fit before its latest end; 0 if all fits. Pure. */
export function lostSeconds(plan: RunPlan, record: RunRecord): number {
  const [end, latest] = [workEnd(plan, record.startedAt), latestEnd(plan, record)];
  return end === null || latest === null ? 0 : Math.max(0, Math.ceil(end - latest));
}

/** The record with the work that is lost by now. In a time lapse a boot of seconds takes hours of the run, and nothing is lost by that. Pure. */
export function withLost(record: RunRecord, plan: RunPlan, timeLapse: number | undefined): RunRecord {
  const { lostSeconds: _before, ...whole } = record;
  if (record.end !== null) return record;
  // One that waits for a machine begins only if all of it fits.
  const isWhole = record.evictions?.waiting === true || paceOf(record, timeLapse) !== 1;
  const lost = isWhole ? 0 : lostSeconds(plan, record);
  return lost > 0 ? { ...whole, lostSeconds: lost } : whole;
}
