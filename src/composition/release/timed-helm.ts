import { performCall } from "../helm/perform-call.ts";
import type { HelmResult, ReleaseCall } from "../helm/calls.ts";
import type { CompositionContext } from "../context/composition-context.ts";

/**
 * Calls helm in a slot of its namespace, and logs and counts how long it took, apart from the time that it waited for the slot. An urgent
 * call comes before installations and deletions.
 */
export async function timedHelm(
  context: Pick<CompositionContext, "withHelm" | "log" | "metrics">,
  call: ReleaseCall,
  isUrgent = false,
): Promise<HelmResult> {
  const { namespace, release, verb } = call;
  const askedAt = performance.now();
  let beganAt = askedAt;
  const run = context.withHelm({ namespace, isDeletion: verb === "uninstall", isUrgent }, (helm) => {
    beganAt = performance.now();
    return performCall(helm, call);
  });
  const result = await run;
  const [waitedMs, ms] = [beganAt - askedAt, performance.now() - beganAt].map(Math.round) as [number, number];
  context.log.info({ release, namespace, verb, code: result.code, by: result.by ?? "program", ms, waitedMs }, "helm");
  context.metrics.helm({ verb, isOk: result.code === 0, seconds: ms / 1000, waitedSeconds: waitedMs / 1000 });
  return result;
}
