import { during } from "../../cluster/tracing/during.ts";
import { performCall } from "../helm/perform-call.ts";
import type { HelmResult, ReleaseCall } from "../helm/calls.ts";
import type { CompositionContext, HelmSlot } from "../context/composition-context.ts";

/**
 * Calls helm in a slot of its namespace, and logs, counts and traces how long it took, apart from the time that it waited for the slot.
 * An urgent call comes before installations and deletions.
 */
export async function timedHelm(
  context: Pick<CompositionContext, "withHelm" | "log" | "metrics">,
  call: ReleaseCall,
  { isUrgent = false, guard }: Partial<Pick<HelmSlot, "isUrgent" | "guard">> = {},
): Promise<HelmResult> {
  const { namespace, release, verb } = call;
  return during(`helm ${verb}`, async (note) => {
    const askedAt = performance.now();
    let beganAt = askedAt;
    const slot = { namespace, isDeletion: verb === "uninstall", isUrgent, ...(guard === undefined ? {} : { guard }) };
    const run = context.withHelm(slot, (helm) => {
      beganAt = performance.now();
      return performCall(helm, call);
    });
    const result = await run;
    const [waitedMs, ms] = [beganAt - askedAt, performance.now() - beganAt].map(Math.round) as [number, number];
    const [{ code }, by] = [result, result.by ?? "program"];
    context.log.info({ release, namespace, verb, code, by, ms, waitedMs }, "helm");
    context.metrics.helm({ verb, isOk: code === 0, seconds: ms / 1000, waitedSeconds: waitedMs / 1000 });
    note({ "landfall.helm_code": code, "landfall.helm_by": by, "landfall.waited_ms": waitedMs });
    return result;
  });
}
