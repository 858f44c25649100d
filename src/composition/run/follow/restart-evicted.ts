import type { RunRecord } from "../../../model/runs/run-record.ts";
import { workEnd } from "../../../model/runs/run-times.ts";
import { formatTime } from "../../../model/time.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { Resource } from "../../types.ts";
import { metered } from "../state/run-account.ts";
import { saidOffSince, saidSince, unseenSince } from "../machine/begin-of.ts";
import { machineNow } from "../machine/machine-now.ts";
import { lastRestart, nextRunStep } from "../state/next-run-step.ts";
import { assertClocks, isTooLate, restartedAt, tellCameBack } from "./seen-meanwhile.ts";

const untilText = (until: number | null): string =>
  until === null ? "" : ` by ${formatTime(until)}, so that it is done in time`;

/** Since when the machine that was taken back is off: as its provider says, or since it is seen. */
const evictedSince = ({ meter }: RunRecord, live: readonly Resource[], now: number): number =>
  saidOffSince(live, meter?.at ?? 0, now) ?? now;

/** Since when a run that is evicted has another machine, which came while no controller looked; null if it has none, or too late for its work. */
function replacedSince(record: RunRecord, live: readonly Resource[], now: number): number | null {
  if (machineNow(live) !== "on") return null;
  const since = Math.max(record.meter?.at ?? 0, unseenSince(record, live, now));
  return isTooLate(record, since) ? null : since;
}

interface Replaced {
  /** Since when it has another machine; null if it has none. */
  since: number | null;
  now: number;
}

/** Whether the work of a run is done by then, or time has ended it. */
function isOverBy(record: RunRecord, time: number): boolean {
  const planned = workEnd(record.plan, record.startedAt);
  return (planned !== null && planned <= time) || nextRunStep(record.plan, record, null, time).found !== null;
}

/** When it was taken back, as far as that is known: before its provider had the other machine. */
const knownBy = ({ startedAt }: RunRecord, live: readonly Resource[], { since, now }: Replaced): number =>
  (since === null ? null : saidSince(live, startedAt, now)) ?? now;

/** The record of a run that waits for another machine from then on. */
function waitingSince(record: RunRecord, live: readonly Resource[], { since, now }: Replaced): RunRecord {
  const { startedAt, firstStartedAt = startedAt } = record;
  const off = metered(record, since ?? evictedSince(record, live, now), { on: false });
  return { ...off, startedAt: since ?? now, firstStartedAt, wasReady: false, machine: null };
}

/** Tells of the eviction, and counts it. */
function tellEvicted(
  { runMetrics, record: tell }: Pick<CompositionContext, "runMetrics" | "record">,
  object: Resource,
  evicted: RunRecord,
  now: number,
): void {
  const { plan, evictions } = evicted;
  const provider = object.spec?.["provider"];
  runMetrics.evicted(typeof provider === "string" ? provider : "");
  const isOver = nextRunStep(plan, evicted, null, now).found !== null;
  const next = isOver ? "the run does not start again" : `the run starts again${untilText(lastRestart(plan, evicted))}`;
  const message = `its spot machine was evicted (${String(evictions?.count ?? 0)} in all); ${next}`;
  tell(object, { type: "Warning", reason: "Evicted", message });
}

/**
 * Records that the provider took back the spot machine of this run, which then waits for another one and starts again. The operator
 * gets it: Config Connector starts the machine, the others create it again. One that is there by now has worked since it came. Null for a run that time had
 * ended before.
 */
export async function restartEvicted(
  context: Pick<CompositionContext, "runs" | "runMetrics" | "record" | "serverSeconds" | "nowSeconds">,
  object: Resource,
  record: RunRecord,
  { live, now }: { live: readonly Resource[]; now: number },
): Promise<RunRecord | null> {
  const evictions = { count: (record.evictions?.count ?? 0) + 1, waiting: true };
  const since = replacedSince({ ...record, evictions }, live, now);
  if (isOverBy(record, knownBy(record, live, { since, now }))) return null;
  const waiting = waitingSince({ ...record, evictions }, live, { since, now });
  const again = since === null ? waiting : restartedAt(waiting, live, since);
  if (since !== null) assertClocks(context, again, now);
  const stored = await context.runs.change(again);
  tellEvicted(context, object, stored, since ?? now);
  if (since !== null) tellCameBack(context, object);
  return stored;
}
