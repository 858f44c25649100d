import type { ExistingWorkload } from "../../model/cluster-data.ts";
import { largerPrice } from "../../model/decision-annotation/running-sizes.ts";

const later = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : Math.max(one, other);

const earliest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** The newer version, with the larger sizes and prices of both and the whole time of both. */
const merge = (older: ExistingWorkload, newer: ExistingWorkload): ExistingWorkload => ({
  ...newer,
  ...(older.runs === true ? { runs: true } : {}),
  vcpus: Math.max(older.vcpus, newer.vcpus),
  memoryGiB: Math.max(older.memoryGiB, newer.memoryGiB),
  pricePerHour: largerPrice(older.pricePerHour, newer.pricePerHour),
  start: earliest(older.start, newer.start),
  end: later(older.end, newer.end),
});

const isOneThing = (one: ExistingWorkload, other: ExistingWorkload): boolean =>
  one.place === other.place && one.vmName === other.vmName && one.namespace === other.namespace;

/** The versions that count while it is not known which of these, the oldest first, is stored: one for each place and machine name. */
export function widest(versions: readonly ExistingWorkload[]): ExistingWorkload[] {
  const merged: ExistingWorkload[] = [];
  for (const version of versions) {
    const index = merged.findIndex((one) => isOneThing(one, version));
    const found = merged[index];
    if (found === undefined) merged.push(version);
    else merged[index] = merge(found, version);
  }
  return merged;
}

/** An object whose decision has no valid signature counts in its place as its recorded releases run there, if they say it. */
export function asInstalled(workload: ExistingWorkload, releases: readonly ExistingWorkload[]): ExistingWorkload {
  const [first, ...more] = releases.filter(({ place }) => place === workload.place);
  if (workload.unverified !== true || first === undefined) return workload;
  const { vcpus, memoryGiB, pricePerHour } = more.reduce(merge, first);
  return { ...workload, vcpus, memoryGiB, pricePerHour };
}

/** Whether `newer` counts for all that `older` counts for. */
export function isCovered(older: ExistingWorkload, newer: ExistingWorkload): boolean {
  if (!isOneThing(older, newer)) return false;
  const { vcpus, memoryGiB, pricePerHour, start, end } = merge(older, newer);
  return (
    vcpus === newer.vcpus &&
    memoryGiB === newer.memoryGiB &&
    pricePerHour === newer.pricePerHour &&
    start === newer.start &&
    end === newer.end
  );
}
