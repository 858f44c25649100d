import type { Candidate } from "../../model/policy.ts";
import type { PauseRules, Segment } from "../../model/runs/pause-rules.ts";
import type { Job } from "../job.ts";

/** A run with pauses, for the task with the same index. */
export interface Split {
  candidate: Candidate;
  /** When the machine is on, in order of time; resumes are included. */
  segments: Segment[];
}

/** The rules for one job: a part of a short run is not longer than the run. */
export const rulesFor = (rules: PauseRules, { durationSeconds }: Job): PauseRules => ({
  ...rules,
  minRunSeconds: Math.min(rules.minRunSeconds, durationSeconds),
});
