import type { FollowedRun } from "./follow-run.ts";
import { pausedSeconds } from "../../model/runs/run-times.ts";

/**
 * How to keep the machine of a run: off in a pause and after its end, on if it is to be started after a pause or for another
 * run, else as it is.
 */
export function powerOf({ record, step, now }: FollowedRun): { powerState?: "on" | "off" } {
  if (step.do === "stop" || step.do === "pause") return { powerState: "off" };
  if (record.evictions !== undefined) return { powerState: "on" };
  if (pausedSeconds(record.plan, record.startedAt, now) > 0) return { powerState: "on" };
  return record.plan.whenDone === "stop" && record.run !== "" ? { powerState: "on" } : {};
}
