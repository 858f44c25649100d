import type { Power } from "../release/build-values.ts";
import type { FollowedRun } from "./follow-run.ts";

/** How to keep the machine of a run: off after its end, on if it is to be started for another run, else as it is. */
export function powerOf({ record, step }: FollowedRun): Power | null {
  if (step.do === "stop") return "off";
  return record.plan.whenDone === "stop" && record.run !== "" ? "on" : null;
}
