import { isObject } from "../../model/json.ts";
import { isKind, type Kind } from "../../model/names.ts";
import { sizeOf } from "../../model/read-workload.ts";
import type { CountedSize } from "../../model/runs/retained.ts";
import { formatTime } from "../../model/time.ts";
import { valuesIn } from "../helm/stored-release.ts";
import type { RecordedRevision } from "../record/release-record.ts";
import { placeIn } from "../record/release-owner.ts";
import { retainsIn } from "../record/release-owner.ts";
import { runningSizes } from "../record/running-sizes.ts";
import type { Wanted } from "./wanted-release.ts";

type Values = Record<string, unknown>;

const listIn = (values: Values, field: string): Values[] =>
  Array.isArray(values[field]) ? (values[field] as unknown[]).filter(isObject) : [];

/** The pools or disks of `before` whose names `after` lacks. */
function dropped(field: string, before: Values, after: Values): Values[] {
  const kept = new Set(listIn(after, field).map(({ name }) => name));
  return listIn(before, field).filter(({ name }) => !kept.has(name));
}

/** The resources that an upgrade from this revision leaves at the provider; null for none. */
function leftOf(kind: Kind, base: RecordedRevision, wanted: Values): CountedSize | null {
  const before = valuesIn(base.release);
  if (!retainsIn(before)) return null;
  const place = placeIn(before);
  const [all] = runningSizes([base]);
  if (place !== placeIn(wanted)) return all ?? { place, ...sizeOf(kind, before), pricePerHour: null };
  const nodePools = dropped("nodePools", before, wanted);
  if (nodePools.length + dropped("disks", before, wanted).length === 0) return null;
  const size = kind === "KaasCluster" ? sizeOf(kind, { nodePools }) : { vcpus: 0, memoryGiB: 0 };
  return { place, ...size, pricePerHour: null };
}

/**
 * Records what an upgrade is about to leave at the provider: parts of a revision with `deletionPolicy: retain` that the next one lacks.
 * Admission denies that to the object itself, but not to one that takes an orphaned release over. To be called before the upgrade. Throws
 * REL_API….
 */
export async function recordDropped(
  { context, composition: { object }, namespace, name: release, uid, values }: Wanted,
  revisions: readonly RecordedRevision[],
): Promise<void> {
  const { kind } = object;
  const base = revisions.find(({ status }) => status === "deployed") ?? revisions[0];
  const counted = base === undefined || !isKind(kind) ? null : leftOf(kind, base, values);
  if (base === undefined || !isKind(kind) || counted === null) return;
  const { place, vcpus, memoryGiB, pricePerHour } = counted;
  const about = { kind, namespace, name: object.metadata.name ?? "", uid, vmName: null, start: null, end: null };
  await context.retentions.record({
    workload: { ...about, place, vcpus, memoryGiB, pricePerHour },
    ...{ uid: `${uid}-r${String(base.revision)}`, release, why: "retain" },
    at: formatTime(context.nowSeconds()),
    acknowledged: null,
  });
}
