import type { CompositionContext } from "../../context/composition-context.ts";
import { isNews, turnedAt, withPower } from "./with-use.ts";
import type { FollowedRun } from "./follow-run.ts";
import { powerNow, type SeenMachine } from "../machine/machine-now.ts";

type Seen = Pick<SeenMachine, "ready" | "live">;

/**
 * Whether the machine of a run is on, as its provider says. Where its operator does not say, it is as the step of the run says, but for one
 * that its provider refuses.
 */
function isOn({ record, step }: FollowedRun, { ready, live }: Seen): boolean {
  const seen = powerNow(live);
  if (seen === "on" || seen === "off") return seen === "on";
  if (step.do === "pause") return false;
  if (record.wasReady || ready.status === "True") return true;
  return record.evictions?.waiting !== true && seen !== "refused" && !ready.reason.startsWith("Provider");
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
    await runs.change(withPower(newest, on, turnedAt(newest, on, { live: seen.live, now: run.now })));
}
