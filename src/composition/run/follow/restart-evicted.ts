import type { RunRecord } from "../../../model/runs/run-record.ts";
import { workEnd } from "../../../model/runs/run-times.ts";
import { formatTime } from "../../../model/time.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { Resource } from "../../types.ts";
import { metered } from "../state/run-account.ts";
import { saidOffSince } from "../machine/begin-of.ts";
import { lastRestart, nextRunStep } from "../state/next-run-step.ts";

const untilText = (until: number | null): string =>
  until === null ? "" : ` by ${formatTime(until)}, so that it is done in time`;

/** Since when the machine that was taken back is off: as its provider says, or since it is seen. */
const evictedSince = ({ meter }: RunRecord, live: readonly Resource[], now: number): number =>
  saidOffSince(live, meter?.at ?? 0, now) ?? now;

/**
 * Records that the provider took back the spot machine of this run, which then waits for another one and starts again. The operator
 * gets it: Config Connector starts the machine, the others create it again. Null for a run that time has ended by now.
 */
export async function restartEvicted(
  context: Pick<CompositionContext, "runs" | "runMetrics" | "record">,
  object: Resource,
  record: RunRecord,
  { live, now }: { live: readonly Resource[]; now: number },
): Promise<RunRecord | null> {
  const planned = workEnd(record.plan, record.startedAt);
  const isDone = planned !== null && planned <= now;
  if (isDone || nextRunStep(record.plan, record, null, now).found !== null) return null;
  const { startedAt, firstStartedAt = startedAt } = record;
  const evictions = { count: (record.evictions?.count ?? 0) + 1, waiting: true };
  const off = metered(record, evictedSince(record, live, now), { on: false });
  const again = { ...off, evictions, startedAt: now, firstStartedAt, wasReady: false, machine: null };
  const stored = await context.runs.change(again);
  const provider = object.spec?.["provider"];
  context.runMetrics.evicted(typeof provider === "string" ? provider : "");
  const until = untilText(lastRestart(stored.plan, stored));
  const isOver = nextRunStep(stored.plan, stored, null, now).found !== null;
  const next = isOver ? "the run does not start again" : `the run starts again${until}`;
  const message = `its spot machine was evicted (${String(evictions.count)} in all); ${next}`;
  context.record(object, { type: "Warning", reason: "Evicted", message });
  return stored;
}
