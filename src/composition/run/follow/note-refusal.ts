import type { RunRecord } from "../../../model/runs/run-record.ts";
import { pausedSeconds, workEnd } from "../../../model/runs/run-times.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { ConditionInput, Resource } from "../../types.ts";
import type { FollowedRun } from "./follow-run.ts";
import { beginTime } from "./run-clock.ts";

/** Whether a run is to have its first machine now. A restart after an eviction, and a resume, have rules of their own. */
const isFirstStart = ({ record, step, now }: FollowedRun): boolean =>
  step.do === "run" &&
  !record.wasReady &&
  record.evictions === undefined &&
  pausedSeconds(record.plan, record.startedAt, now) === 0;

/** The run that begins at `now`, because its machine is there: its limit counts from its first start. It never ends after its deadline. */
function begunNow({ refused: _refused, ...record }: RunRecord, now: number): RunRecord {
  const { plan, startedAt, firstStartedAt = startedAt } = record;
  const fits = plan.deadline === undefined || (workEnd(plan, now) ?? now) <= plan.deadline;
  return fits ? { ...record, startedAt: now, firstStartedAt } : record;
}

/** The machine of a run, as its provider says. */
interface Wanted {
  ready: ConditionInput;
  hasMachine: boolean;
}

/** The record as it changes: the machine is refused, or it is there after that. Null if nothing changes. */
function changeOf(run: FollowedRun, { ready, hasMachine }: Wanted): "refused" | "begun" | null {
  if (run.record.refused === true) return hasMachine ? "begun" : null;
  const isRefused = !hasMachine && ready.status === "False" && ready.reason.startsWith("Provider");
  return isRefused && isFirstStart(run) ? "refused" : null;
}

/**
 * Records that the provider refuses the machine of a run at its first start: its duration then counts from when it has one, and if that
 * never is, nothing was done. Returns whether that changes when the run is over. Throws RUN_CLOCKS.
 */
export async function noteRefusal(
  context: Pick<CompositionContext, "runs" | "serverSeconds" | "nowSeconds" | "runMetrics">,
  { kind }: Resource,
  run: FollowedRun | null,
  wanted: Wanted,
): Promise<boolean> {
  const change = run === null || kind !== "VmTemplate" ? null : changeOf(run, wanted);
  if (run === null || change === null) return false;
  const newest = await context.runs.read(run.record.uid);
  if (newest === null || newest.run !== run.record.run || newest.end !== null) return false;
  if (change === "begun") beginTime(context);
  await context.runs.change(change === "begun" ? begunNow(newest, run.now) : { ...newest, refused: true });
  return change === "begun";
}
