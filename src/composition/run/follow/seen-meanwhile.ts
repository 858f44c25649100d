import type { RunRecord } from "../../../model/runs/run-record.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { Resource } from "../../types.ts";
import { lastRestart, nextRunStep } from "../state/next-run-step.ts";
import { metered } from "../state/run-account.ts";
import { machineNow } from "../machine/machine-now.ts";
import { liveNow } from "../machine/machines-of.ts";
import { beginTime, type Clocks } from "./run-clock.ts";
import { machineOf } from "../machine/run-sign.ts";
import { begunNow, unseenSince } from "../machine/begin-of.ts";

/** The record of a run whose machine was evicted, and that has another one since then. */
export function restartedAt(record: RunRecord, live: readonly Resource[], since: number): RunRecord {
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

/** Whether the work of a run that waits for a machine would not be done in time if it had one since then. */
export const isTooLate = (record: RunRecord, since: number): boolean =>
  since > (lastRestart(record.plan, record) ?? Infinity);

/** Says that a run whose machine was evicted has had another one that no controller saw come. */
export function tellCameBack({ record: tell }: Pick<CompositionContext, "record">, object: Resource): void {
  const message = "its spot machine came back while no controller looked: the run began again, with its whole duration";
  tell(object, { type: "Normal", reason: "StartedAgain", message });
}

/** Throws RUN_CLOCKS while the clocks differ, unless the run is over by now: no wrong clock ends one early, or keeps one on. */
export function assertClocks(context: Clocks, begun: RunRecord, now: number): void {
  if (nextRunStep(begun.plan, begun, null, now).found === null) beginTime(context);
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
  if (record.refused !== true && isTooLate(record, since)) return record;
  const begun = begunAt(record, live, since);
  assertClocks(context, begun, now);
  if (record.refused !== true) tellCameBack(context, object);
  return begun;
}
