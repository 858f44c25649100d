import type { Measure } from "../../../src/admission/types.ts";
import { uptimeMs } from "../../../src/processes/uptime-ms.ts";
import type { StageTime } from "../../review/answer-review.ts";

/** The times of one request's stages. */
export interface StageTimes {
  /** The stage has ended that began with the end of the one before it. */
  ended(stage: StageTime["stage"]): void;
  /** Omitted if no one asks for times. */
  measure: Measure | undefined;
  /** Undefined if no one asks for times. */
  times(): StageTime[] | undefined;
}

const NONE: StageTimes = { ended: () => undefined, measure: undefined, times: () => undefined };

/** Notes when the stages of a request began and ended, from now on; nothing unless it is traced. */
export function stageTimes(traced: boolean): StageTimes {
  if (!traced) return NONE;
  const times: StageTime[] = [];
  let beganMs = uptimeMs();
  return {
    ended(stage) {
      const endedMs = uptimeMs();
      times.push({ stage, beganMs, endedMs });
      beganMs = endedMs;
    },
    measure(stage, work) {
      const signingMs = uptimeMs();
      const result = work();
      times.push({ stage, beganMs: signingMs, endedMs: uptimeMs() });
      return result;
    },
    times: () => times,
  };
}

/** The part of a reply with the times. */
export function stagesOf(noted: StageTimes): { stages?: StageTime[] } {
  const stages = noted.times();
  return stages === undefined ? {} : { stages };
}
