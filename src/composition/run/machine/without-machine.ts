import type { RunRecord } from "../../../model/runs/run-record.ts";
import { pausedSeconds, workEnd } from "../../../model/runs/run-times.ts";
import { machineStatus } from "../../status/machine-status.ts";
import type { Resource } from "../../types.ts";
import { machineNow } from "./machine-now.ts";
import { machinesOf, type Parts, revisionsOf } from "./machines-of.ts";

/** Seconds that an installation may take before its run counts as one without a machine. */
const INSTALLED_SECONDS = 60;

/** Whether a run has not had its first machine yet. A restart after an eviction, and a resume, have rules of their own. */
export const isFirstStart = (record: RunRecord, now: number): boolean =>
  record.end === null &&
  !record.wasReady &&
  record.evictions === undefined &&
  pausedSeconds(record.plan, record.startedAt, now) === 0;

const namesOf = ({ apiVersion, kind, metadata: { name = "" } }: Resource) => ({ apiVersion, kind, name });

/** Whether its provider has, or had, a machine of this resource. */
const isMade = (machine: Resource): boolean =>
  machineNow([machine]) === "on" || (machineStatus([{ ...namesOf(machine), live: machine }])?.id ?? null) !== null;

/**
 * Whether helm has ever installed anything for a run: what failed before that left no machine. What it did not finish has one if its provider
 * says so: a controller may have been killed, or something else of the release failed.
 */
async function isInstalled(context: Parts, run: RunRecord): Promise<boolean> {
  if (context.releases.has(run.uid)) return true;
  const revisions = await revisionsOf(context, run);
  if (revisions.some(({ status }) => status === "deployed")) return true;
  return revisions.length > 0 && (await machinesOf(context, run)).some(isMade);
}

/**
 * A run that should have begun, and for which no machine could be installed since: no controller ran, or each installation failed. It has
 * none, as if its provider refused it. Any other record is returned as it is. Throws the API server's errors.
 */
export async function withoutMachine(context: Parts, record: RunRecord, now: number): Promise<RunRecord> {
  const { plan, startedAt, firstStartedAt, refused } = record;
  if (refused === true || firstStartedAt !== undefined || !isFirstStart(record, now)) return record;
  const isLate = now - startedAt > INSTALLED_SECONDS || now >= (workEnd(plan, startedAt) ?? Infinity);
  return isLate && !(await isInstalled(context, record)) ? { ...record, refused: true } : record;
}
