import type { RunPlan } from "../../../model/runs/run-record.ts";
import { WHEN_DONE, type WhenDone } from "../../../model/workload.ts";
import { parseDuration, readTime } from "../../../model/time.ts";

const secondsOf = (value: unknown): number | null => (typeof value === "string" ? parseDuration(value) : null);

const isWhenDone = (value: unknown): value is WhenDone => (WHEN_DONE as readonly unknown[]).includes(value);

/** Only a spot machine may have to start again before its deadline, and only a run that pauses may be resumed late. */
function deadlineOf(spec: Readonly<Record<string, unknown>>): Pick<RunPlan, "deadline"> {
  const counts = spec["capacityType"] === "spot" || spec["interruptible"] !== undefined;
  const latest = counts ? readTime(spec["deadline"]) : null;
  return latest === null ? {} : { deadline: latest };
}

/** The plan in a spec that admission decided; `grace` in seconds. */
export function planOf(spec: Readonly<Record<string, unknown>>, grace: number): RunPlan {
  const { whenDone } = spec;
  return {
    duration: secondsOf(spec["duration"]),
    maxLifetime: secondsOf(spec["maxLifetime"]),
    whenDone: isWhenDone(whenDone) ? whenDone : "keep",
    keepFailed: secondsOf(spec["keepFailed"]),
    grace,
    retains: spec["deletionPolicy"] === "retain",
    ...deadlineOf(spec),
  };
}

/** Whether anything is meant to end: an object without a duration and a limit that is to be kept is a service. */
export const isRun = ({ duration, maxLifetime, whenDone }: RunPlan): boolean =>
  duration !== null || maxLifetime !== null || whenDone !== "keep";
