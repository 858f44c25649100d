import { ApiError } from "../../../cluster/client/api-error.ts";
import { LandfallError } from "../../../errors.ts";
import { clocksAgree, type RunRecord } from "../../../model/runs/run-record.ts";
import { formatTime } from "../../../model/time.ts";
import type { CompositionContext } from "../../context/composition-context.ts";

export type Clocks = Pick<CompositionContext, "serverSeconds" | "nowSeconds" | "runMetrics">;

/** The API server's time. Throws REL_API_AWAY if it is not known yet, seconds after a start: the reconcile is tried again. */
export function serverTime({ serverSeconds }: Pick<Clocks, "serverSeconds">): number {
  const now = serverSeconds();
  if (now !== null) return now;
  throw new ApiError(0, {
    action: "read the API server's clock",
    detail: "its answers are ahead of this machine's clock",
  });
}

/** Says that no run begins, because `server`, the API server's time, is not the controller's. Throws RUN_CLOCKS. */
export function refuseStart({ nowSeconds, runMetrics }: Clocks, server: number): never {
  runMetrics.notBegun();
  const own = nowSeconds();
  const minutes = Math.round(Math.abs(server - own) / 60);
  throw new LandfallError("RUN_CLOCKS", { server: formatTime(server), own: formatTime(own), minutes: String(minutes) });
}

/**
 * Whether a run may begin now. If the API server's clock is minutes behind and is corrected later, every run that began by it ends early, which cannot be taken
 * back: so the controller's clock has to agree. Throws REL_API_AWAY as `serverTime`.
 */
export const mayBegin = (clocks: Pick<Clocks, "serverSeconds" | "nowSeconds">): boolean =>
  clocksAgree(serverTime(clocks), clocks.nowSeconds());

/** The time at which a run begins now. Throws RUN_CLOCKS while the clocks differ, and REL_API_AWAY as `serverTime`. */
export function beginTime(clocks: Clocks): number {
  const now = serverTime(clocks);
  return mayBegin(clocks) ? now : refuseStart(clocks, now);
}

/** Takes back the record of a run that began by a wrong clock, before anything was installed for it. Throws RUN_CLOCKS. */
export async function assertBegun(
  context: Clocks & Pick<CompositionContext, "runs">,
  record: RunRecord,
): Promise<void> {
  if (record.beganAskew !== true) return;
  await context.runs.remove(record.uid);
  refuseStart(context, record.startedAt);
}
