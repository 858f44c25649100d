import { below } from "../../cluster/api-path.ts";
import type { Result } from "../../cluster/queue/work-queue.ts";
import { canonicalJson } from "../../model/json.ts";
import { formatTime } from "../../model/time.ts";
import { conditionsOf, mergeConditions } from "../../model/kubernetes.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { nextCountdown, scheduledCondition } from "./start-time.ts";

/**
 * Writes only the countdown, for a cluster where another controller writes the rest of the status. It sends the
 * resource version, so that it never reverts a concurrent write (409).
 */
export async function reportSchedule(context: CompositionContext, { object, path }: Composition): Promise<Result> {
  const nowSeconds = context.nowSeconds();
  const before = conditionsOf(object);
  const scheduled = scheduledCondition(object, nowSeconds).filter(({ type }) => type === "Scheduled");
  const conditions = mergeConditions(before, scheduled, formatTime(nowSeconds));
  if (canonicalJson(conditions) !== canonicalJson(before)) {
    const { resourceVersion } = object.metadata;
    await context.client.patch(below(path, "status"), "merge", {
      metadata: { resourceVersion },
      status: { conditions },
    });
  }
  return { requeueAfter: nextCountdown(object, nowSeconds) };
}
