import type { RunRecord } from "../../../model/runs/run-record.ts";
import { pausedSeconds, pausedUntil } from "../../../model/runs/run-times.ts";
import type { Resource } from "../../types.ts";
import { machineNow } from "./machine-now.ts";
import { machineOf } from "./run-sign.ts";

/** Whether a machine that was there once is not known to have been stopped, refused or evicted, although the run waits for it. */
function isToBeOn({ end, wasReady, meter, refused, evictions, bootSeconds }: RunRecord): boolean {
  const wasThere = end === null && bootSeconds !== undefined && meter?.on === true;
  return wasThere && !wasReady && refused !== true && evictions?.waiting !== true;
}

/**
 * The record of a run whose machine is on after a pause and was never seen off: its provider did not stop it, or a controller was killed before it
 * asked for that. It worked on, so that nothing of it is late. Any other record is returned as it is. Pure.
 */
export function withNeverOff(record: RunRecord, live: readonly Resource[], now: number): RunRecord {
  const { plan, startedAt } = record;
  const isAfterPause = pausedSeconds(plan, startedAt, now) > 0 && pausedUntil(plan, startedAt, now) === null;
  if (!isAfterPause || !isToBeOn(record)) return record;
  return machineNow(live) === "on" ? { ...record, wasReady: true, machine: machineOf(live) } : record;
}
