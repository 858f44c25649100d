import type { RunPlan, RunRecord } from "../../../model/runs/run-record.ts";
import { pausedSeconds, pausedUntil, workEnd } from "../../../model/runs/run-times.ts";
import type { Resource } from "../../types.ts";
import { mayBeStopped } from "../state/asked-power.ts";
import { isMissing } from "../state/next-run-step.ts";
import { withGone } from "./gone-cluster.ts";
import { machineNow, powerNow } from "./machine-now.ts";
import { lostSeconds, withLateResume } from "../state/late-resume.ts";
import { metered } from "../state/run-account.ts";
import { workedUntil } from "../state/worked-until.ts";
import { saidOffSince } from "./begin-of.ts";
import { isMachine, machineOf, machineSince } from "./run-sign.ts";

/** Whether a run waits for a machine that was there once, and that was neither refused nor evicted. */
const isAwaited = ({ end, wasReady, refused, evictions, bootSeconds }: RunRecord): boolean =>
  end === null && bootSeconds !== undefined && !wasReady && refused !== true && evictions?.waiting !== true;

/** Whether a machine was asked to start again, or was never seen off in a pause that is over. */
function isToBeOn({ plan, startedAt, asked, meter }: RunRecord, now: number): boolean {
  const hasPaused = asked?.on === false || pausedSeconds(plan, startedAt, now) > 0;
  const isAfterPause = hasPaused && pausedUntil(plan, startedAt, now) === null;
  return asked?.on === true || (isAfterPause && meter?.on === true);
}

/** A look at the machine of a run. */
interface Look {
  /** Its user pauses the object, so that a stop which was asked for is not taken back. */
  isHeld: boolean;
  /** It has looked at this machine before, so that what it sees is new. */
  isWatched: boolean;
  now: number;
}

/** Seconds that a provider takes to stop a machine. */
const STOP_SECONDS = 60;

/** Since when a machine that was asked to stop at `at` is off: as its provider says, or since it was asked, unless this controller has looked on since. */
const stoppedSince = (at: number, live: readonly Resource[], { isWatched, now }: Look): number =>
  saidOffSince(live, at, now) ?? (isWatched ? now : Math.min(at + STOP_SECONDS, now));

/** When a run ends whose work is done: its account ends then, also if its machine was on for longer. */
const endOf = (plan: RunPlan, { startedAt }: RunRecord): number =>
  (plan.whenDone === "keep" ? null : workEnd(plan, startedAt)) ?? Infinity;

/** Whether a pause has deleted the machine, unseen. One that this controller saw go is off by its step. */
const isDeleted = ({ plan }: RunRecord, live: readonly Resource[], { isWatched }: Look): boolean =>
  plan.recreates === true && !isWatched && !live.some(isMachine);

/**
 * The record of a run that was asked to stop its machine for a pause. As long as its provider shows that it is on, its work continues: the pause begins when
 * that ends. A controller that was killed meanwhile does not count the time in which it is off as work. Pure.
 */
function withStop(record: RunRecord, live: readonly Resource[], look: Look): RunRecord {
  const { asked, meter, end, plan } = record;
  if (end !== null || asked?.on !== false || meter?.on !== true) return record;
  const seen = powerNow(live);
  if (seen === "on")
    return { ...record, plan: workedUntil(plan, record, look.now), asked: { on: false, at: look.now } };
  if (seen !== "off" && !isDeleted(record, live, look)) return record;
  const since = stoppedSince(Math.max(asked.at, meter.at), live, look);
  const worked = workedUntil(plan, record, since);
  return metered({ ...record, plan: worked }, Math.min(since, endOf(worked, record)), { on: false });
}

/**
 * The record of a run whose machine is on: it was asked to start again, or a pause is over in which it was never seen off, because its provider did not
 * stop it, or a controller was killed before it asked for that. It works, so that nothing of it is late. Any other record is returned as it is. Pure.
 */
function withBack(record: RunRecord, live: readonly Resource[], now: number): RunRecord {
  if (!isAwaited(record) || !isToBeOn(record, now) || machineNow(live) !== "on") return record;
  const { plan, meter } = record;
  const since = backSince(record, live, now);
  const back = { ...record, plan: withLateResume(plan, record, since), wasReady: true, machine: machineOf(live) };
  return meter?.on === false ? metered(back, Math.max(since, meter.at), { on: true }) : back;
}

/** Since when a machine is back that no one saw come: as its provider or its operator says. Otherwise now, or the latest time at which its work is done in time, in favour of a machine that is there. */
function backSince(record: RunRecord, live: readonly Resource[], now: number): number {
  const { meter, plan } = record;
  const said = machineSince(live);
  if (said !== null && said > (meter?.at ?? 0)) return Math.min(said, now);
  return now - lostSeconds(withLateResume(plan, record, now), record);
}

/** The record in which a machine that was stopped late, after its run was resumed, is missing: it is to be started, as after any pause. */
function withLateStop(record: RunRecord, live: readonly Resource[], now: number): RunRecord {
  const isStopped = record.end === null && record.asked?.on === true && mayBeStopped(record, now);
  return isStopped && record.wasReady && machineNow(live) === "off"
    ? { ...record, wasReady: false, machine: null }
    : record;
}

/**
 * The record of a run whose machine was asked to start, and is seen off: the stop before is carried out, so that none is still to come, and the machine ends
 * its run once it was on. Any other record is returned as it is. Pure.
 */
function withStopDone(record: RunRecord, live: readonly Resource[]): RunRecord {
  const { end, asked } = record;
  const isToStart = end === null && asked?.on === true && asked.at > 0;
  return isToStart && machineNow(live) === "off" ? { ...record, asked: { on: true, at: 0 } } : record;
}

/**
 * The record of a run that is over without a cluster, and whose operator made one all the same: nothing takes that back before it is deleted, so that
 * it is there, and is paid for. Any other record is returned as it is. Pure.
 */
function withLateCluster(record: RunRecord, live: readonly Resource[], now: number): RunRecord {
  const isOver = record.kind === "KaasCluster" && record.removedAt === null && isMissing(record);
  return isOver && record.lateSince === undefined && machineNow(live) === "on" ? { ...record, lateSince: now } : record;
}

/** The record with what the resources of the run show of its machine. Pure. */
export function observed(record: RunRecord, live: readonly Resource[], look: Look): RunRecord {
  const { isHeld, now } = look;
  const late = withLateStop(withGone(record, live, now), live, now);
  const stopped = withStop(withStopDone(late, live), live, look);
  const isToStop = isHeld && stopped.asked?.on === false;
  return withLateCluster(isToStop ? stopped : withBack(stopped, live, now), live, now);
}
