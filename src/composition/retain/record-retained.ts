import { sizeOf } from "../../model/read-workload.ts";
import type { RunningSize } from "../../model/decision-annotation/system-secrets.ts";
import { isKind, type Kind } from "../../model/names.ts";
import { formatTime } from "../../model/time.ts";
import type { CountedSize, Retained } from "../../model/runs/retained.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import type { ReleaseRecord } from "../record/release-record.ts";
import { runningSizes } from "../record/running-sizes.ts";
import { retainsIn } from "../record/release-owner.ts";
import { valuesOf } from "./installed-values.ts";

type Values = Record<string, unknown>;
type Parts = Pick<CompositionContext, "records" | "retentions" | "nowSeconds">;

/** The place of the newest revision, with the largest size and price of all that may run. */
function largest([newest, ...more]: readonly [RunningSize, ...RunningSize[]]): CountedSize {
  const all = [newest, ...more];
  const prices = all.map(({ pricePerHour }) => pricePerHour).filter((price) => price !== null);
  return {
    place: newest.place,
    vcpus: Math.max(...all.map(({ vcpus }) => vcpus)),
    memoryGiB: Math.max(...all.map(({ memoryGiB }) => memoryGiB)),
    pricePerHour: prices.length === 0 ? null : Math.max(...prices),
  };
}

/** The content of the release's record. Without a valid one, the object's size counts in its namespace, and in no place. */
function countedOf(kind: Kind, record: ReleaseRecord | null, spec: Values): CountedSize {
  const [newest, ...more] = runningSizes(record?.revisions ?? []);
  return newest === undefined ? { place: null, ...sizeOf(kind, spec), pricePerHour: null } : largest([newest, ...more]);
}

/**
 * Records what stays when an object is deleted: with `orphan` its release, with `deletionPolicy: retain` the provider's
 * resources. To be called before the object can go. Users can write anything into an object that is being deleted, so place, size and
 * price are those of the release's record. Throws REL_API….
 */
export async function recordRetained(
  context: Parts,
  { object }: Composition,
  release: string,
  isOrphan: boolean,
): Promise<void> {
  const { kind, metadata } = object;
  const { namespace = "", name = "", uid = "" } = metadata;
  if (!isKind(kind)) return;
  const spec: Values = object.spec ?? {};
  const record = await context.records.read(namespace, release);
  const installed = valuesOf(record);
  if (!isOrphan && !(installed.length > 0 ? installed : [spec]).some(retainsIn)) return;
  const counted = countedOf(kind, record, spec);
  const retained: Retained = {
    workload: { ...{ kind, namespace, name, uid, vmName: null, start: null, end: null }, ...counted },
    ...{ uid, release, why: isOrphan ? "orphan" : "retain" },
    at: formatTime(context.nowSeconds()),
    acknowledged: null,
  };
  await context.retentions.record(retained);
}
