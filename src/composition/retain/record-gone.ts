import type { Composition, CompositionContext } from "../context.ts";
import type { Resource } from "../types.ts";
import { recordRetained } from "./record-retained.ts";

type Parts = Pick<CompositionContext, "client" | "records" | "retentions" | "nowSeconds" | "log">;

/**
 * Records what an object left running that is gone although its release was never uninstalled: somebody removed the finalizer. The
 * controller ends a deletion only after the record of the release is gone, or after it recorded what stays. Throws the API server's errors.
 */
export async function recordGone(context: Parts, gone: Composition): Promise<void> {
  const { namespace = "", name, uid = "" } = gone.object.metadata;
  const release = await context.records.find(namespace, uid);
  if (release === null) return;
  const present = await context.client.get<Resource>(gone.path);
  if (present?.metadata.uid === uid) return;
  await recordRetained(context, gone, release, true);
  context.log.warn({ namespace, name, release }, "an object is gone without its finalizer; its release still counts");
}
