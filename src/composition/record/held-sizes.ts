import { byProvider, largerPrice } from "../../model/decision-annotation/running-sizes.ts";
import type { RunningSize } from "../../model/decision-annotation/system-secrets.ts";
import type { HeldSize } from "./held-size.ts";
import { havePools, withPoolsOf } from "./pool-sizes.ts";
import { currentRevisions, isUnchecked, type RecordedRevision, type ReleaseRecord } from "./release-record.ts";
import { isWithoutMachine, runningSizes } from "./running-sizes.ts";

const AMOUNTS = ["vcpus", "memoryGiB"] as const;

const isPriced = (one: RunningSize, other: RunningSize): boolean =>
  one.pricePerHour === null || (other.pricePerHour !== null && one.pricePerHour <= other.pricePerHour);

/** Whether `other` counts for all that `one` counts for. */
const isCovered = (one: RunningSize, other: RunningSize): boolean =>
  one.place === other.place &&
  AMOUNTS.every((amount) => one[amount] <= other[amount]) &&
  isPriced(one, other) &&
  havePools(one.pools, other.pools);

/** The larger of both, in one place, and all pools of both. Machines that were not looked for are not known. */
function merge(one: HeldSize, newer: HeldSize): HeldSize {
  const { place, at } = one;
  const other = withPoolsOf(newer, [one]);
  const pools = other.pools ?? one.pools;
  return {
    ...{ place, at: Math.max(at, other.at) },
    ...(pools === undefined ? {} : { pools }),
    vcpus: Math.max(one.vcpus, other.vcpus),
    memoryGiB: Math.max(one.memoryGiB, other.memoryGiB),
    pricePerHour: largerPrice(one.pricePerHour, other.pricePerHour),
    ...(one.retains === true || other.retains === true ? { retains: true as const } : {}),
    machines:
      one.machines === null || other.machines === null ? null : [...new Set([...one.machines, ...other.machines])],
  };
}

function mergeByPlace(sizes: readonly HeldSize[]): HeldSize[] {
  const merged = new Map<string, HeldSize>();
  for (const size of sizes) {
    const known = merged.get(size.place);
    merged.set(size.place, known === undefined ? size : merge(known, size));
  }
  return [...merged.values()];
}

/** The sizes that a record held, or ran, before a change of its revisions, and that its new revisions lack: at most one for each place. */
export function heldAfter(
  { held = [], running }: { held?: readonly HeldSize[]; running: readonly RunningSize[] },
  revisions: readonly RecordedRevision[],
): HeldSize[] {
  const now = runningSizes(revisions);
  const at = revisions[0]?.createdAt ?? 0;
  const replaced = running.map((size): HeldSize => ({ ...size, at, machines: null }));
  const open = (size: RunningSize): boolean => !now.some((other) => isCovered(size, other));
  return mergeByPlace([...held.filter(open), ...replaced.filter(open)]);
}

const sizeOnly = ({ at: _at, machines: _machines, ...size }: HeldSize): RunningSize => size;

/** A cluster at one provider with all pools that any of its sizes has: those that others replaced are there until they are deleted. */
function united(sizes: readonly RunningSize[]): RunningSize[] {
  const [newest, ...others] = sizes;
  const size = newest === undefined ? [] : [withPoolsOf(newest, others)];
  return size.filter((one) => !sizes.some((other) => isCovered(one, other)));
}

/**
 * All sizes of a record that count: those of its revisions that may run, the newest first, those that are held, and of a cluster all of its
 * pools together.
 */
export function countedSizes(record: Pick<ReleaseRecord, "revisions" | "held" | "former">): RunningSize[] {
  const sizes = sizesIn(record);
  return isIdle(record) ? sizes.map((size) => ({ ...size, idle: true })) : sizes;
}

/** Whether the release has no machine, for a pause, and all that its earlier revisions made and this one lacks was seen to be gone. */
function isIdle({ revisions, held = [], former = [] }: Pick<ReleaseRecord, "revisions" | "held" | "former">): boolean {
  const current = currentRevisions(revisions);
  const isGone = held.length === 0 && former.length === 0;
  return (
    isGone && current.every(isWithoutMachine) && !revisions.some((one) => !current.includes(one) && isUnchecked(one))
  );
}

function sizesIn({ revisions, held = [] }: Pick<ReleaseRecord, "revisions" | "held">): RunningSize[] {
  const running = runningSizes(revisions);
  const all = [...running, ...held.map(sizeOnly).filter((size) => !running.some((other) => isCovered(size, other)))];
  return [...all, ...[...byProvider(all).values()].flatMap(united)];
}
