import { runHelm, type HelmCall, type HelmResult } from "../helm/run-helm.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import type { HelmVerb } from "../context/composition-metrics.ts";

/** A call of helm, apart from its arguments. */
export interface HelmWork {
  namespace: string;
  release: string;
  verb: HelmVerb;
  /** It comes before installations and deletions; false if omitted. */
  isUrgent?: boolean;
}

/** Calls helm in a slot of its namespace, and logs and counts how long it took, apart from the time that it waited for the slot. */
export async function timedHelm(
  context: Pick<CompositionContext, "withHelm" | "log" | "metrics">,
  { namespace, release, verb, isUrgent = false }: HelmWork,
  call: HelmCall,
): Promise<HelmResult> {
  const askedAt = performance.now();
  let beganAt = askedAt;
  const run = context.withHelm({ namespace, isDeletion: verb === "uninstall", isUrgent }, (helm) => {
    beganAt = performance.now();
    return runHelm(helm, call);
  });
  const result = await run;
  const [waitedMs, ms] = [beganAt - askedAt, performance.now() - beganAt].map(Math.round) as [number, number];
  context.log.info({ release, namespace, verb, code: result.code, ms, waitedMs }, "helm");
  context.metrics.helm({ verb, isOk: result.code === 0, seconds: ms / 1000, waitedSeconds: waitedMs / 1000 });
  return result;
}
