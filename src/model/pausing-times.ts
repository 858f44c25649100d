/** How a run may be interrupted: `spec.interruptible` with its defaults, in seconds. */
export interface PauseRules {
  /** Each part of the run works at least this long. */
  minRunSeconds: number;
  /** Most pauses of the whole run. */
  maxPauses: number;
  /** The time that each resume takes before work continues. The machine runs meanwhile, so it emits and costs. */
  resumeSeconds: number;
}

/** The times of a run that pauses. Durations in seconds, moments in seconds since 1970. */
export interface RunTimes {
  /** `pauses`: when the machine is stopped; a resume begins at `to`, and takes `resume`. */
  plan: { duration: number | null; pauses?: { from: number; to: number }[]; resume?: number };
  startedAt: number;
}

/** A run that may pause and continues. */
export interface PausingTimes extends RunTimes {
  /** When its machine has to be gone, in seconds since 1970; null without a limit. */
  limit: number | null;
}
