import type { CompositionContext } from "../context/composition-context.ts";
import type { Release } from "../managed/release.ts";
import type { Resource } from "../types.ts";
import type { FollowedRun } from "../run/follow/follow-run.ts";
import { isSpot } from "../run/machine/run-sign.ts";
import { askToLook } from "./ask-to-look.ts";
import { recreateStopped } from "./recreate-stopped.ts";

/** Whether the provider may take back the machine of a run that continues: no one would notice for hours where its operator seldom looks. */
const mayBeEvicted = ({ managed }: CompositionContext, { record, step }: FollowedRun, release: Release): boolean =>
  record.end === null && step.do === "run" && release.objects.some((one) => isSpotNow(managed.get(one)));

const isSpotNow = (live: Resource | undefined): boolean => live !== undefined && isSpot(live);

/**
 * Looks after the machines of a release by the object's policy: sees those that someone stopped or deleted, and repairs them. Of a run,
 * only those that the provider may take back are looked at: another one may have ended as planned, and its operator would create it again.
 */
export async function keepMachines(
  context: CompositionContext,
  object: Resource,
  release: Release,
  run: FollowedRun | null,
): Promise<void> {
  if (run !== null && !mayBeEvicted(context, run, release)) return;
  await askToLook(context, object, release);
  if (run === null) await recreateStopped(context, object, release);
}
