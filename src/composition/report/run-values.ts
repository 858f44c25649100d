import type { CompositionContext } from "../context/composition-context.ts";
import type { RunValues } from "../release/build-values.ts";
import { repairPolicy } from "../../model/runs/run-of.ts";
import { reportToken } from "./report-token.ts";
import type { Resource } from "../types.ts";
import type { FollowedRun } from "../run/follow/follow-run.ts";
import { pausedSeconds } from "../../model/runs/run-times.ts";

/** Whether the machine of a run may be off and is to be started: for another run on it, after a pause, and after an eviction. */
const startsAgain = ({ record, now }: FollowedRun): boolean =>
  record.run !== "" || record.evictions !== undefined || pausedSeconds(record.plan, record.startedAt, now) > 0;

/**
 * How to keep the machine of a run: off or deleted in a pause and after its end, on from when it is to be started again until it was seen to be
 * on, after a pause for some minutes, otherwise as it is. A machine that is kept on could not end its run by shutting itself down: its operator would start it again.
 */
export function powerOf(run: FollowedRun): { powerState?: "on" | "off" | "deleted" } {
  const { record, step } = run;
  if (step.do === "pause") return { powerState: record.plan.recreates === true ? "deleted" : "off" };
  if (step.do === "stop") return { powerState: run.omitsMachine === true ? "deleted" : "off" };
  const isToStart = record.asked?.on === true || (!record.wasReady && startsAgain(run));
  return isToStart ? { powerState: "on" } : {};
}

/**
 * The address and token with which a machine reports its completion. Only Elemento's operator takes user data from a Secret: at the other providers
 * everybody who may read the machine's resource would read the token.
 */
function reportOf(
  { keys, reportUrl }: Pick<CompositionContext, "keys" | "reportUrl">,
  { kind, spec }: Resource,
  { record }: FollowedRun,
): Pick<RunValues, "report"> {
  if (keys === null || reportUrl === null || kind !== "VmTemplate" || spec?.["provider"] !== "elemento") return {};
  return { report: { url: `${reportUrl}/v1/runs/${record.uid}`, token: reportToken(keys(), record) } };
}

/** The values about the run of this object that its chart gets; without a run, only that a stopped machine is to be left. */
export const runValues = (
  context: Pick<CompositionContext, "keys" | "reportUrl">,
  object: Resource,
  run: FollowedRun | null,
): RunValues => {
  if (run !== null) return { ...powerOf(run), ...reportOf(context, object, run) };
  return repairPolicy(object) === "never" ? { powerState: "as-is" } : {};
};
