import type { RunRecord } from "../../../model/runs/run-record.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { Resource } from "../../types.ts";
import { lastRestart, nextRunStep } from "../state/next-run-step.ts";
import { metered } from "../state/run-account.ts";
import { machineNow } from "../machine/machine-now.ts";
import { liveNow } from "../machine/machines-of.ts";
import { beginTime } from "./run-clock.ts";
import { machineOf } from "../machine/run-sign.ts";
import { begunNow, unseenSince } from "../machine/begin-of.ts";

function restartedAt(record: RunRecord, live: readonly Resource[], since: number): RunRecord {
  const { startedAt, firstStartedAt = startedAt, evictions } = record;
  const on = metered(record, since, { on: true });
  const again = evictions === undefined ? {} : { evictions: { ...evictions, waiting: false } };
  return { ...on, ...again, startedAt: since, firstStartedAt, wasReady: true, machine: machineOf(live) };
}

/** The record of a run on the machine that is there since then: it was refused before, or evicted. */
function begunAt(record: RunRecord, live: readonly Resource[], since: number): RunRecord {
  return record.refused === true
    ? { ...begunNow(record, since), wasReady: true, machine: machineOf(live) }
    : restartedAt(record, live, since);
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
  const since = unseenSince(record, live, now);
  // Its work would not be done in time any more.
  if (record.refused !== true && since > (lastRestart(record.plan, record) ?? Infinity)) return record;
  const begun = begunAt(record, live, since);
  // No wrong clock ends a run early that is over by now.
  if (nextRunStep(begun.plan, begun, null, now).found === null) beginTime(context);
  if (record.refused === true) return begun;
  const message = "its spot machine came back while no controller looked: the run began again, with its whole duration";
  context.record(object, { type: "Normal", reason: "StartedAgain", message });
  return begun;
}
