import type { FollowedRun } from "./follow-run.ts";
import { pausedSeconds } from "../../../model/runs/run-times.ts";

/**
 * How to keep the machine of a run: off or deleted in a pause, off after its end, on if it is to be started after a pause or for another
 * run, else as it is.
 */
export function powerOf({ record, step, now }: FollowedRun): { powerState?: "on" | "off" | "deleted" } {
  if (step.do === "pause") return { powerState: record.plan.recreates === true ? "deleted" : "off" };
  if (step.do === "stop") return { powerState: "off" };
  if (record.evictions !== undefined) return { powerState: "on" };
  if (pausedSeconds(record.plan, record.startedAt, now) > 0) return { powerState: "on" };
  return record.plan.whenDone === "stop" && record.run !== "" ? { powerState: "on" } : {};
}
