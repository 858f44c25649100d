import { readWorkload, sizeOf } from "../../model/read-workload.ts";
import { isKind } from "../../model/names.ts";
import { formatTime } from "../../model/time.ts";
import type { Retained } from "../../model/retained.ts";
import type { Composition, CompositionContext } from "../context.ts";
import { installedValues, retainsIn } from "./installed-values.ts";

type Values = Record<string, unknown>;
type Parts = Pick<CompositionContext, "records" | "retentions" | "nowSeconds">;

/**
 * Records what stays when an object is deleted: with `orphan` its release, with `deletionPolicy: retain` the provider's
 * resources. To be called before the object can go. Its size is the largest that was installed. Throws REL_API….
 */
export async function recordRetained(
  context: Parts,
  { object }: Composition,
  release: string,
  isOrphan: boolean,
): Promise<void> {
  const { kind, metadata } = object;
  const { namespace = "", uid = "" } = metadata;
  if (!isKind(kind)) return;
  const installed = await installedValues(context, namespace, release);
  const spec: Values = object.spec ?? {};
  const retains = (installed.length > 0 ? installed : [spec]).some(retainsIn);
  if (!isOrphan && !retains) return;
  const workload = readWorkload(kind, object);
  const sizes = [workload, ...installed.map((values) => sizeOf(kind, values))];
  const largest = (of: "vcpus" | "memoryGiB"): number => Math.max(...sizes.map((size) => size[of]));
  const retained: Retained = {
    workload: {
      ...{ ...workload, vmName: null, end: null },
      ...{ vcpus: largest("vcpus"), memoryGiB: largest("memoryGiB") },
    },
    ...{ uid, release, why: isOrphan ? "orphan" : "retain" },
    at: formatTime(context.nowSeconds()),
    acknowledged: null,
  };
  await context.retentions.record(retained);
}
