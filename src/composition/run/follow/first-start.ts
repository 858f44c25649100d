import type { RunRecord } from "../../../model/runs/run-record.ts";
import type { Resource } from "../../types.ts";
import { machineOver } from "./run-sign.ts";

/**
 * Since when the machine of a run runs if another run begins on it at `now`: since its first run, so that another run moves no
 * limit. Only a machine that `whenDone: stop` has stopped starts anew.
 */
export function firstStart(record: RunRecord, live: readonly Resource[], now: number): number {
  const isOff = record.plan.whenDone === "stop" && live.some((resource) => machineOver(resource) !== null);
  return isOff ? now : (record.firstStartedAt ?? record.startedAt);
}
