import type { ConditionInput } from "../types.ts";
import type { CompositionContext } from "../context.ts";
import type { FollowedRun } from "./follow-run.ts";
import { liveResources } from "./live-resources.ts";
import { machineOver, machineOf } from "./run-sign.ts";

/**
 * Records that a run's machine was there once: from then on, one that is not there is over. One that still shows the end of
 * the run before is not there yet.
 */
export async function noteReady(
  context: CompositionContext,
  run: FollowedRun | null,
  ready: ConditionInput,
): Promise<void> {
  if (run === null || run.record.wasReady || ready.status !== "True" || run.step.do !== "run") return;
  const live = liveResources(context, run.record.uid);
  if (live.some((resource) => machineOver(resource) !== null)) return;
  // A report of the machine may have been recorded since the reconcile began.
  const newest = await context.runs.read(run.record.uid);
  if (newest === null || newest.run !== run.record.run) return;
  await context.runs.change({ ...newest, wasReady: true, machine: machineOf(live) });
}
