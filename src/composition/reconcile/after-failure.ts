import { hasStatus } from "../../cluster/client/api-error.ts";
import { CodedError } from "../../errors.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { stopInstalled } from "../run/end/stop-installed.ts";
import type { FollowedRun } from "../run/follow/follow-run.ts";
import type { ServedChart } from "../types.ts";
import { isPassing, reportEnd, reportFailure } from "./report-failure.ts";

/** Whether the machine of an object that cannot be installed was stopped as it is. A failure is logged: that of the object is reported. */
async function isStoppedAsInstalled(
  context: CompositionContext,
  composition: Composition,
  { served, power }: { served: ServedChart; power: "off" | "deleted" },
): Promise<boolean> {
  try {
    return await stopInstalled(context, composition, served, power);
  } catch (thrown) {
    context.log.warn(
      { composition: composition.key, err: thrown },
      "the machine of a run that is over was not stopped",
    );
    return false;
  }
}

/**
 * Reports why an object was not installed, unless the next attempt tells. A run that is over is stopped all the same, unless the API server is unavailable:
 * also after a conflict, since a user who changes the object all the time makes the next attempt fail, too.
 */
export async function afterFailure(
  context: CompositionContext,
  composition: Composition,
  { served, run, thrown }: { served: ServedChart; run: FollowedRun | null; thrown: unknown },
): Promise<void> {
  if (run?.step.do !== "stop") return reportFailure(context, composition, thrown);
  const canStop = thrown instanceof CodedError && !hasStatus(thrown, 0);
  const power = run.omitsMachine === true ? "deleted" : "off";
  const isStopped = canStop && (await isStoppedAsInstalled(context, composition, { served, power }));
  if (isPassing(thrown)) return;
  await (isStopped ? reportFailure(context, composition, thrown) : reportEnd(context, composition, thrown));
}
