import type { RunRecord } from "../../../model/runs/run-record.ts";
import type { Resource } from "../../types.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import { stoppedNow } from "./run-pauses.ts";
import { metered } from "../state/run-account.ts";
import type { FollowedRun } from "./follow-run.ts";
import { machineNow, type SeenMachine } from "../machine/machine-now.ts";

type Seen = Pick<SeenMachine, "ready" | "live">;

/**
 * Whether the machine of a run is on, as its provider says. Where its operator does not say, it is as the step of the run says, but for one
 * that its provider refuses.
 */
function isOn({ record, step }: FollowedRun, { ready, live }: Seen): boolean {
  const seen = machineNow(live);
  if (seen === "on" || seen === "off") return seen === "on";
  if (step.do === "pause") return false;
  if (record.wasReady || ready.status === "True") return true;
  return record.evictions?.waiting !== true && seen !== "refused" && !ready.reason.startsWith("Provider");
}

/** Whether a record does not say yet that its machine is on or off: it says nothing of a machine that is refused, and none is counted after the end. */
const isNews = ({ meter, refused, end }: RunRecord, on: boolean): boolean =>
  meter !== undefined && meter.on !== on && refused !== true && end === null;

const withPower = (record: RunRecord, on: boolean, now: number): RunRecord => ({
  ...metered(record, now, { on }),
  plan: on ? record.plan : stoppedNow(record, now),
});

/** The record of a run whose provider says that its machine is on or off: also where nothing can be installed or upgraded for it. Pure. */
export function withUse(record: RunRecord, live: readonly Resource[], now: number): RunRecord {
  const seen = machineNow(live);
  const isKnown = seen === "on" || seen === "off";
  return isKnown && isNews(record, seen === "on") ? withPower(record, seen === "on", now) : record;
}

/**
 * Records that the machine of a run is on or off from now on, for its account: a pause counts from when its provider carries it out. Nothing
 * before the first machine and after the end. Throws the conflict (409) if the record was changed meanwhile.
 */
export async function noteUse(context: CompositionContext, run: FollowedRun | null, seen: Seen): Promise<void> {
  if (run === null || (run.step.do !== "run" && run.step.do !== "pause")) return;
  const { runs } = context;
  const on = isOn(run, seen);
  if (!isNews(run.record, on)) return;
  const newest = await runs.read(run.record.uid);
  if (newest !== null && newest.run === run.record.run && isNews(newest, on))
    await runs.change(withPower(newest, on, run.now));
}
