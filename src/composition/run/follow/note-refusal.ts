import type { RunRecord } from "../../../model/runs/run-record.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { Resource } from "../../types.ts";
import type { FollowedRun } from "./follow-run.ts";
import { beginTime } from "./run-clock.ts";
import { isLeftThere, machineNow, type SeenMachine } from "../machine/machine-now.ts";
import { isMachine } from "../machine/run-sign.ts";
import { begunNow, seenSince } from "../machine/begin-of.ts";
import { isFirstStart } from "../machine/without-machine.ts";

/** Whether the provider does not make or start the machine: one that is stopped may have an id all the same. */
function isAway({ firstStartedAt }: RunRecord, { ready, hasMachine, live }: SeenMachine): boolean {
  if (isLeftThere(live, firstStartedAt !== undefined)) return false;
  const is = machineNow(live);
  const isMissing = is === "refused" || (is !== "on" && !hasMachine);
  return isMissing && ready.status === "False" && ready.reason.startsWith("Provider");
}

/** The record as it changes: the machine is refused, or it is there after that. Null if nothing changes. */
function changeOf({ record, step, now }: FollowedRun, kind: string, seen: SeenMachine): "refused" | "begun" | null {
  if (record.refused === true) {
    const isOn = machineNow(seen.live) === "on" || isLeftThere(seen.live, false);
    const isThere = seen.live.some(isMachine) ? isOn : seen.hasMachine;
    return isThere ? "begun" : null;
  }
  // The pools of a cluster wait for their machines themselves.
  return kind === "VmTemplate" && isAway(record, seen) && step.do === "run" && isFirstStart(record, now)
    ? "refused"
    : null;
}

/**
 * Records that the provider refuses the machine of a run at its first start, or at that of another run: its duration then counts from when it
 * has one, and if that never is, nothing was done. Returns whether that changes when the run is over. Throws RUN_CLOCKS.
 */
export async function noteRefusal(
  context: CompositionContext,
  { kind }: Resource,
  run: FollowedRun | null,
  seen: SeenMachine,
): Promise<boolean> {
  const change = run === null ? null : changeOf(run, kind, seen);
  if (run === null || change === null) return false;
  const newest = await context.runs.read(run.record.uid);
  if (newest === null || newest.run !== run.record.run || newest.end !== null) return false;
  if (change === "begun") beginTime(context);
  const begun = (): RunRecord => begunNow(newest, seenSince(newest, seen.live, run.now));
  await context.runs.change(change === "begun" ? begun() : { ...newest, refused: true });
  return change === "begun";
}
