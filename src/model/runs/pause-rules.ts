import { isObject } from "../json.ts";
import type { PauseRules } from "../pausing-times.ts";
import { MINUTE_SECONDS, parseWait } from "../time.ts";

export type { PauseRules } from "../pausing-times.ts";

/** The rules of `spec.interruptible` without fields of its own. */
const DEFAULTS = { minRun: "1h", maxPauses: 4, resumeCost: "10m" };

/** The rules of a spec that has passed the checks; null if the run must not pause. */
export function readPauses({ interruptible }: Readonly<Record<string, unknown>>): PauseRules | null {
  if (!isObject(interruptible)) return null;
  const { minRun, maxPauses, resumeCost } = { ...DEFAULTS, ...interruptible };
  return {
    minRunSeconds: parseWait(minRun) ?? 0,
    maxPauses,
    resumeSeconds: parseWait(resumeCost) ?? 0,
  };
}

/** How the run of a spec that has passed the checks pauses: its machine is stopped, or deleted and created again. Null if it must not pause. */
export function pauseWayOf({ interruptible }: Readonly<Record<string, unknown>>): "stop" | "recreate" | null {
  if (!isObject(interruptible)) return null;
  return interruptible["by"] === "recreate" ? "recreate" : "stop";
}

/** A resume takes no less than a boot. */
export const withBoot = (rules: PauseRules, bootSeconds: number): PauseRules => ({
  ...rules,
  resumeSeconds: Math.max(rules.resumeSeconds, bootSeconds),
});

/** A resume may be late by the time between two checks of the controller. */
const LATE_SECONDS = 15 * MINUTE_SECONDS;

/** The time that a run keeps free before its deadline while it still has to resume: one more resume, and its delay. */
export const reserveOf = ({ resumeSeconds }: PauseRules): number => resumeSeconds + LATE_SECONDS;

/** A part of a run: the machine is on from `start` to `end`, in seconds since 1970. A resume is part of it. */
export interface Segment {
  start: number;
  end: number;
}

/**
 * Names of the data disks of a machine's spec with this `deletionPolicy`: `retain` for those that stay when the machine is deleted.
 * The default is `delete`.
 */
export function diskNames({ disks }: Readonly<Record<string, unknown>>, policy: "retain" | "delete"): string[] {
  const list: unknown[] = Array.isArray(disks) ? disks : [];
  return list.flatMap((disk) => {
    if (!isObject(disk) || typeof disk["name"] !== "string") return [];
    return (disk["deletionPolicy"] ?? "delete") === policy ? [disk["name"]] : [];
  });
}
