import { NEW_METER, type RunRecord } from "../../../model/runs/run-record.ts";
import { workEnd } from "../../../model/runs/run-times.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { Resource } from "../../types.ts";
import { lastRestart, latestEnd, nextRunStep } from "../state/next-run-step.ts";
import { metered } from "../state/run-account.ts";
import { machineNow } from "../machine/machine-now.ts";
import { liveNow } from "../machine/machines-of.ts";
import { beginTime } from "./run-clock.ts";
import { machineOf, machineSince } from "../machine/run-sign.ts";

/** The run that begins at `now`, because its machine is there: its limit counts from its first start. Pauses that are over by then are none of it. */
export function begunNow({ refused: _refused, ...record }: RunRecord, now: number): RunRecord {
  const { startedAt, firstStartedAt = startedAt } = record;
  return { ...record, startedAt: now, firstStartedAt, meter: { ...NEW_METER, at: now } };
}

/** The latest start after which the work is done in time; null without a duration, and if nothing ends it. */
function latestStart(record: RunRecord): number | null {
  const latest = latestEnd(record.plan, record);
  const end = workEnd(record.plan, record.startedAt);
  return latest === null || end === null ? null : latest - (end - record.startedAt);
}

/**
 * The time at which the run on this machine began: as its provider or its operator says. Otherwise it is the latest one at which its work is
 * done in time, in favour of a machine that is there.
 */
function beginOf(record: RunRecord, live: readonly Resource[], now: number): number {
  const since = machineSince(live);
  if (since !== null && since > record.startedAt) return Math.min(since, now);
  return Math.max(record.startedAt, Math.min(now, latestStart(record) ?? now));
}

function restartedAt(record: RunRecord, live: readonly Resource[], since: number): RunRecord {
  const { startedAt, firstStartedAt = startedAt, evictions } = record;
  const on = metered(record, since, { on: true });
  const again = evictions === undefined ? {} : { evictions: { ...evictions, waiting: false } };
  return { ...on, ...again, startedAt: since, firstStartedAt, wasReady: true, machine: machineOf(live) };
}

/** Whether time is about to end the run because it has no machine, as far as was seen. */
function endsWithout(record: RunRecord, now: number): boolean {
  const { refused, evictions, end, plan } = record;
  const lacks = refused === true || evictions?.waiting === true;
  return end === null && lacks && nextRunStep(plan, record, null, now).found !== null;
}

/**
 * The record of a run that would end now because it has no machine, and that has one all the same: it came while no controller looked. Any
 * other record is returned as it is. Throws the API server's errors, and RUN_CLOCKS.
 */
export async function seenMeanwhile(
  context: CompositionContext,
  object: Resource,
  record: RunRecord,
  now: number,
): Promise<RunRecord> {
  if (!endsWithout(record, now)) return record;
  const live = await liveNow(context, record);
  if (machineNow(live) !== "on") return record;
  const since = beginOf(record, live, now);
  // Its work would not be done in time any more.
  if (record.refused !== true && since > (lastRestart(record.plan, record) ?? Infinity)) return record;
  beginTime(context);
  if (record.refused === true) return { ...begunNow(record, since), wasReady: true, machine: machineOf(live) };
  const message = "its spot machine came back while no controller looked: the run began again, with its whole duration";
  context.record(object, { type: "Normal", reason: "StartedAgain", message });
  return restartedAt(record, live, since);
}
