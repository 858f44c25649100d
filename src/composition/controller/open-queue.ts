import type { Logger } from "pino";
import { namespaceOf } from "../../cluster/queue/object-key.ts";
import { createWorkQueue, type Result, type WorkQueue, type WorkQueueOptions } from "../../cluster/queue/work-queue.ts";
import { logAbout } from "../../cluster/service/open-logger.ts";
import type { Attributes, Tracer } from "../../cluster/tracing/span.ts";
import { traced } from "../../cluster/tracing/during.ts";
import { decisionId } from "../../model/decision-annotation/compact-decision.ts";
import type { CompositionMetrics } from "../context/composition-metrics.ts";
import { LANES, type Lanes } from "../context/lanes.ts";
import type { Resource } from "../types.ts";
import { logRetry } from "./log-failures.ts";

/** Workers of each lane besides its own, for runs whose end is due: installations that wait for helm do not hold them up. */
const URGENT_WORKERS = 16;

export interface QueueInput {
  lanes: Pick<Lanes, "of">;
  /** The object of a key as the informer shows it; null if there is none. */
  peek: (key: string) => Resource | null;
  handle: (key: string) => Promise<Result>;
  backoff: WorkQueueOptions["backoff"];
  log: Logger;
  metrics: Pick<CompositionMetrics, "reconciled">;
  /** Null without traces. */
  tracer: Tracer | null;
}

/** The attributes of a reconcile. Of names that users choose, only the namespace. */
const attributesOf = (
  key: string,
  object: Resource | null,
  { lane, decision }: { lane: string; decision: string | undefined },
): Attributes => ({
  ...{ "landfall.decision": decision, "landfall.kind": object?.kind, "landfall.object": object?.metadata.uid },
  ...{ "landfall.lane": lane, "k8s.namespace.name": namespaceOf(key) },
});

/** The queue of compositions: in lanes, measured, and with the decision's id in each line that its work logs. */
export function openQueue({ lanes, peek, handle, backoff, log, metrics, tracer }: QueueInput): WorkQueue {
  const decisionOf = (key: string): string | undefined => {
    const object = peek(key);
    return object === null ? undefined : decisionId(object);
  };
  const logFailure = logRetry(log);
  return createWorkQueue({
    ...{ workers: 0, urgentWorkers: URGENT_WORKERS, backoff },
    groups: { of: namespaceOf, workers: 0 },
    lanes: { of: (key) => lanes.of(key, peek(key)), limits: LANES },
    onFailure: (key, thrown, retryMs) => {
      logAbout({ decision: decisionOf(key) }, () => {
        logFailure(key, thrown, retryMs);
      });
    },
    async handle(key) {
      const lane = lanes.of(key, peek(key));
      const beganAt = performance.now();
      const note = (isOk: boolean): void => {
        metrics.reconciled(lane, isOk, (performance.now() - beganAt) / 1000);
      };
      try {
        const decision = decisionOf(key);
        const about = (): Attributes => attributesOf(key, peek(key), { lane, decision });
        const result = await logAbout({ decision }, () => traced(tracer, "reconcile", about, () => handle(key)));
        note(true);
        return result;
      } catch (thrown) {
        note(false);
        throw thrown;
      }
    },
  });
}
