import { MINUTE_SECONDS } from "./time.ts";

/** How a run may be interrupted: `spec.interruptible` with its defaults, in seconds. */
export interface PauseRules {
  /** Each part of the run works at least this long. */
  minRunSeconds: number;
  /** Most pauses of the whole run. */
  maxPauses: number;
  /** What each resume takes before work goes on. The machine runs meanwhile, so it emits and costs. */
  resumeSeconds: number;
}

/** A resume may be late by the time between two checks of the controller. */
const LATE_SECONDS = 15 * MINUTE_SECONDS;

/** What a run that still has to resume keeps free before its deadline: one more resume, and its delay. */
export const reserveOf = ({ resumeSeconds }: PauseRules): number => resumeSeconds + LATE_SECONDS;

/** A part of a run: the machine is on from `start` to `end`, in seconds since 1970. A resume is part of it. */
export interface Segment {
  start: number;
  end: number;
}
