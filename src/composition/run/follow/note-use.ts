import type { CompositionContext } from "../../context/composition-context.ts";
import { isLeftThere, powerNow, type SeenMachine } from "../machine/machine-now.ts";
import type { FollowedRun } from "./follow-run.ts";
import { isNews, saidOn, withPower } from "../machine/with-use.ts";

type Seen = Pick<SeenMachine, "ready" | "live">;

/** Whether the machine of a run is on by the step of the run: where its operator does not say it, but for one that its provider refuses. */
function isMeantOn({ record, step }: FollowedRun, { ready, live }: Seen): boolean {
  if (step.do === "pause") return false;
  if (record.wasReady || ready.status === "True") return true;
  if (isLeftThere(live, record.firstStartedAt !== undefined)) return true;
  return record.evictions?.waiting !== true && powerNow(live) !== "refused" && !ready.reason.startsWith("Provider");
}

/**
 * Records that the machine of a run is on or off from now on, for its account: a pause counts from when its provider carries it out. Nothing
 * before the first machine and after the end. Throws the conflict (409) if the record was changed meanwhile.
 */
export async function noteUse({ runs }: CompositionContext, run: FollowedRun | null, seen: Seen): Promise<void> {
  if (run === null || (run.step.do !== "run" && run.step.do !== "pause")) return;
  const on = saidOn(seen.live) ?? isMeantOn(run, seen);
  if (!isNews(run.record, on)) return;
  const newest = await runs.read(run.record.uid);
  if (newest === null || newest.run !== run.record.run) return;
  const used = withPower(newest, on, { live: seen.live, now: run.now });
  if (used !== newest) await runs.change(used);
}
