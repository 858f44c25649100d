import type { RunRecord } from "../../../model/runs/run-record.ts";
import { pausedSeconds, pausedUntil } from "../../../model/runs/run-times.ts";
import type { Resource } from "../../types.ts";
import { mayBeStopped } from "../state/asked-power.ts";
import { isMissing } from "../state/next-run-step.ts";
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
function withNeverOff(record: RunRecord, live: readonly Resource[], now: number): RunRecord {
  const { plan, startedAt } = record;
  const isAfterPause = pausedSeconds(plan, startedAt, now) > 0 && pausedUntil(plan, startedAt, now) === null;
  if (!isAfterPause || !isToBeOn(record)) return record;
  return machineNow(live) === "on" ? { ...record, wasReady: true, machine: machineOf(live) } : record;
}

/** The record in which a machine that was stopped late, after its run was resumed, is missing: it is to be started, as after any pause. */
function withLateStop(record: RunRecord, live: readonly Resource[], now: number): RunRecord {
  const isStopped = record.end === null && record.asked?.on === true && mayBeStopped(record, now);
  return isStopped && record.wasReady && machineNow(live) === "off"
    ? { ...record, wasReady: false, machine: null }
    : record;
}

/**
 * The record of a run that is over without a cluster, and whose operator made one all the same: nothing takes that back before it is deleted, so that
 * it is there, and is paid for. Any other record is returned as it is. Pure.
 */
function withLateCluster(record: RunRecord, live: readonly Resource[], now: number): RunRecord {
  const isOver = record.kind === "KaasCluster" && record.removedAt === null && isMissing(record);
  return isOver && record.lateSince === undefined && machineNow(live) === "on" ? { ...record, lateSince: now } : record;
}

/** The record with what the resources of the run show of its machine. `isHeld`: its user pauses the object, so that a stop which was asked for is not taken back. Pure. */
export function observed(
  record: RunRecord,
  live: readonly Resource[],
  { isHeld, now }: { isHeld: boolean; now: number },
): RunRecord {
  const stopped = withLateStop(record, live, now);
  const isToStop = isHeld && stopped.asked?.on === false;
  return withLateCluster(isToStop ? stopped : withNeverOff(stopped, live, now), live, now);
}
