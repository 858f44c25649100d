import type { RunPlan, RunRecord } from "../../../model/runs/run-record.ts";
import { formatTime } from "../../../model/time.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { Resource } from "../../types.ts";
import { isRun } from "../state/run-plan.ts";
import { formatUsd, runAccount } from "../state/run-account.ts";

/** Whether nothing is meant to end it any more, by a spec that admission accepted. What is over stays so. */
const isEndless = ({ end, removedAt, deletingSince }: RunRecord, decided: RunPlan | null): boolean =>
  decided !== null && !isRun(decided) && end === null && removedAt === null && deletingSince === undefined;

/** Whether its machine is off and is to be started: only a run does that. */
const isToStart = ({ asked, evictions, meter, wasReady }: RunRecord): boolean =>
  asked !== undefined || evictions?.waiting === true || (!wasReady && meter?.on === false);

/**
 * The record of a run whose object was changed into a service: null once it is removed, so that nothing ends the machine. If its machine is off, in a planned
 * pause or after an eviction, it is started first. Any other record is returned as it is.
 */
export async function withoutEndless(
  { runs, record: tell }: Pick<CompositionContext, "runs" | "record">,
  object: Resource,
  record: RunRecord,
  { decided, now }: { decided: RunPlan | null; now: number },
): Promise<RunRecord | null> {
  if (decided === null || !isEndless(record, decided)) return record;
  if (isToStart(record)) return { ...record, plan: decided };
  await runs.remove(record.uid);
  const { hours, usd } = runAccount(record, now);
  const message = `its end was removed: the run since ${formatTime(record.startedAt)} is a service from now on, after ${hours.toFixed(2)} h, ${formatUsd(usd)}`;
  tell(object, { type: "Normal", reason: "RunIsService", message });
  return null;
}
