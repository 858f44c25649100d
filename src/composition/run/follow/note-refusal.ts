import type { CompositionContext } from "../../context/composition-context.ts";
import type { ConditionInput, Resource } from "../../types.ts";
import type { FollowedRun } from "./follow-run.ts";
import { beginTime } from "./run-clock.ts";
import { type MachineNow, machineNow } from "../machine/machine-now.ts";
import { isMachine, liveResources } from "../machine/run-sign.ts";
import { begunNow } from "./seen-meanwhile.ts";
import { isFirstStart } from "../machine/without-machine.ts";

/** The machine of a run, as its provider says. */
interface Wanted {
  ready: ConditionInput;
  hasMachine: boolean;
}

/** The machine of a run as its provider reports it, and whether there is a resource that reports it. */
interface Seen {
  is: MachineNow | null;
  isReported: boolean;
}

/** Whether the provider does not make or start the machine: one that is stopped may have an id all the same. */
function isAway({ ready, hasMachine }: Wanted, { is }: Seen): boolean {
  const isMissing = is === "refused" || (is !== "on" && !hasMachine);
  return isMissing && ready.status === "False" && ready.reason.startsWith("Provider");
}

/** The record as it changes: the machine is refused, or it is there after that. Null if nothing changes. */
function changeOf({ record, step, now }: FollowedRun, wanted: Wanted, seen: Seen): "refused" | "begun" | null {
  if (record.refused === true) return (seen.isReported ? seen.is === "on" : wanted.hasMachine) ? "begun" : null;
  return isAway(wanted, seen) && step.do === "run" && isFirstStart(record, now) ? "refused" : null;
}

/** A cluster is installed when this is asked, and its pools wait for their machines themselves. */
function seenOf(context: CompositionContext, kind: string, uid: string): Seen {
  if (kind !== "VmTemplate") return { is: null, isReported: false };
  const live = liveResources(context, uid);
  return { is: machineNow(live), isReported: live.some(isMachine) };
}

/**
 * Records that the provider refuses the machine of a run at its first start, or at that of another run: its duration then counts from when it
 * has one, and if that never is, nothing was done. Returns whether that changes when the run is over. Throws RUN_CLOCKS.
 */
export async function noteRefusal(
  context: CompositionContext,
  { kind }: Resource,
  run: FollowedRun | null,
  given: Wanted,
): Promise<boolean> {
  const wanted = kind === "VmTemplate" ? given : { ...given, hasMachine: true };
  const change = run === null ? null : changeOf(run, wanted, seenOf(context, kind, run.record.uid));
  if (run === null || change === null) return false;
  const newest = await context.runs.read(run.record.uid);
  if (newest === null || newest.run !== run.record.run || newest.end !== null) return false;
  if (change === "begun") beginTime(context);
  await context.runs.change(change === "begun" ? begunNow(newest, run.now) : { ...newest, refused: true });
  return change === "begun";
}
