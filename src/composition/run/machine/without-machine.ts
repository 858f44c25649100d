import type { RunRecord } from "../../../model/runs/run-record.ts";
import { pausedSeconds, workEnd } from "../../../model/runs/run-times.ts";
import { lateFrom, latestEnd } from "../state/next-run-step.ts";
import type { Resource } from "../../types.ts";
import { isMade, machineNow } from "./machine-now.ts";
import { machinesOf, type Parts, revisionsOf } from "./machines-of.ts";
import { saidSince } from "./begin-of.ts";
import { isMachine, machineOf, machineOver } from "./run-sign.ts";
import { isControlPlane } from "../../status/cluster-status.ts";

/** Seconds that an installation may take before its run counts as one without a machine. */
const INSTALLED_SECONDS = 60;

/** Whether a run has no machine, and no pause and no resume asked for anything. */
const isUnasked = ({ end, wasReady, asked, evictions }: RunRecord): boolean =>
  end === null && !wasReady && (asked?.at ?? 0) === 0 && evictions === undefined;

/** Whether a run has not had its first machine yet. A restart after an eviction, and a resume, have rules of their own. */
export const isFirstStart = (record: RunRecord, now: number): boolean =>
  isUnasked(record) && pausedSeconds(record.plan, record.startedAt, now) === 0;

/** The same also over planned pauses that no controller carried out, because none ran. */
const hasNotStarted = (record: RunRecord, now: number): boolean =>
  isFirstStart(record, now) || (isUnasked(record) && record.bootSeconds === undefined);

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

/** Whether the machine of a run was that of another run or object before, which may have stopped it. A service that became a run has used it since its start. */
function hadRunBefore({ firstStartedAt, startedAt, asked, bootSeconds }: RunRecord): boolean {
  const wasService = firstStartedAt === startedAt && asked === undefined && bootSeconds === null;
  return firstStartedAt !== undefined && !wasService;
}

/**
 * The record of a run whose first machine ran and was stopped before a controller saw it on: Google shows one that it stopped with its id. Other
 * operators show one that failed to start in the same way, or make another. Any other record is returned as it is. Pure.
 */
export function withStoppedFirst(record: RunRecord, live: readonly Resource[], now: number): RunRecord {
  const isFirst = isFirstStart(record, now) && !hadRunBefore(record) && record.refused !== true;
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

/** Whether the machine came only after `late`, as its provider or its operator says. Of a run that was held up, or began after its installation, it says nothing. */
const cameAfter = ({ bootSeconds }: RunRecord, live: readonly Resource[], { late, now }: Times): boolean =>
  bootSeconds === undefined && machineNow(live) === "on" && saidSince(live, late, now) !== null;

interface Times {
  /** From when on its machine comes late. */
  late: number;
  now: number;
}

/** Whether a run has no machine at `late`: none was made, or the machine of an earlier run or object is off. */
function lacksAt(record: RunRecord, live: readonly Resource[], times: Times): boolean {
  if (times.now < times.late) return false;
  if (isUnmade(live)) return true;
  return hadRunBefore(record) ? machineNow(live) === "off" : cameAfter(record, live, times);
}

/** Whether helm has installed nothing for a run in time. */
async function isNotInstalled(context: Parts, record: RunRecord, { late, now }: Times): Promise<boolean> {
  const isLate = now - record.startedAt > INSTALLED_SECONDS || now >= late;
  return isLate && !hadRunBefore(record) && !(await isInstalled(context, record));
}

/**
 * A run that should have begun, and that has had no machine since: no controller ran, each installation failed, the operator of its provider does
 * nothing, or it takes more than twice the time to boot. It has none, as if its provider refused it, so that its work counts from when it has one. Any
 * other record is returned as it is. `live` are its resources. Throws the API server's errors.
 */
export async function withoutMachine(
  context: Parts,
  record: RunRecord,
  { live, now }: { live: readonly Resource[]; now: number },
): Promise<RunRecord> {
  if (record.refused === true || !hasNotStarted(record, now)) return record;
  const times = { late: Math.min(lateFrom(record) ?? Infinity, lastTime(record)), now };
  if (lacksAt(record, live, times)) return { ...record, refused: true };
  // A late installation says nothing of its provider.
  return (await isNotInstalled(context, record, times)) ? { ...record, refused: true, bootSeconds: null } : record;
}
