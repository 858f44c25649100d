import type { RunRecord } from "../../../model/runs/run-record.ts";
import { pausedSeconds, workEnd } from "../../../model/runs/run-times.ts";
import { latestEnd } from "../state/next-run-step.ts";
import type { Resource } from "../../types.ts";
import { isMade, machineNow } from "./machine-now.ts";
import { machinesOf, type Parts, revisionsOf } from "./machines-of.ts";
import { isMachine, machineOf, machineOver } from "./run-sign.ts";
import { isControlPlane } from "../../status/cluster-status.ts";

/** Seconds that an installation may take before its run counts as one without a machine. */
const INSTALLED_SECONDS = 60;

/** Whether a run has not had its first machine yet. A restart after an eviction, and a resume, have rules of their own. */
export const isFirstStart = (record: RunRecord, now: number): boolean =>
  record.end === null &&
  !record.wasReady &&
  (record.asked?.at ?? 0) === 0 &&
  record.evictions === undefined &&
  pausedSeconds(record.plan, record.startedAt, now) === 0;

/** Whether its provider has, or had, a machine of this resource. A control plane or a pool counts once it is on. */
const isThere = (resource: Resource): boolean =>
  machineNow([resource]) === "on" || (isMachine(resource) && isMade(resource));

/**
 * Whether helm has ever installed anything for a run: what failed before that left no machine. What it did not finish has one if its provider
 * says so: a controller may have been killed, or something else of the release failed.
 */
async function isInstalled(context: Parts, run: RunRecord): Promise<boolean> {
  if (context.releases.has(run.uid)) return true;
  const revisions = await revisionsOf(context, run);
  if (revisions.some(({ status }) => status === "deployed")) return true;
  return revisions.length > 0 && (await machinesOf(context, run)).some(isThere);
}

/**
 * The record of a run whose first machine ran and was stopped before a controller saw it on: Google shows one that it stopped with its id. Other
 * operators show one that failed to start in the same way, or make another. Any other record is returned as it is. Pure.
 */
export function withStoppedFirst(record: RunRecord, live: readonly Resource[], now: number): RunRecord {
  const isFirst = isFirstStart(record, now) && record.firstStartedAt === undefined && record.refused !== true;
  const ran = live.some((one) => one.kind === "ComputeInstance" && isMade(one) && machineOver(one) !== null);
  return isFirst && ran ? { ...record, wasReady: true, machine: machineOf(live), bootSeconds: null } : record;
}

/** When the work of a run is to be done, or has to be. */
const lastTime = (record: RunRecord): number =>
  Math.min(workEnd(record.plan, record.startedAt) ?? Infinity, latestEnd(record.plan, record) ?? Infinity);

/** Whether its resource is there, and no machine or cluster was ever made for it. */
function isUnmade(live: readonly Resource[]): boolean {
  const wanted = live.filter((one) => isMachine(one) || isControlPlane(one));
  return wanted.length > 0 && machineNow(live) !== "on" && !wanted.some(isMade);
}

/**
 * A run that should have begun, and that has had no machine since: no controller ran, each installation failed, or the operator of its provider does
 * nothing. It has none, as if its provider refused it. Any other record is returned as it is. `live` are its resources. Throws the API
 * server's errors.
 */
export async function withoutMachine(
  context: Parts,
  record: RunRecord,
  { live, now }: { live: readonly Resource[]; now: number },
): Promise<RunRecord> {
  if (record.refused === true || record.firstStartedAt !== undefined || !isFirstStart(record, now)) return record;
  const isOver = now >= lastTime(record);
  const isLate = now - record.startedAt > INSTALLED_SECONDS || isOver;
  const isWithout = (isOver && isUnmade(live)) || (isLate && !(await isInstalled(context, record)));
  return isWithout ? { ...record, refused: true } : record;
}
