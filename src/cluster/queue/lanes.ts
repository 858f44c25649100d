import { createFairQueue, type FairQueue } from "./fair-queue.ts";

/** Workers of their own for a part of the keys. */
export interface Lane {
  /** How many of its keys are handled at the same time. */
  workers: number;
  /** Of these, keys of one group. */
  ofGroup: number;
}

/** One lane now. */
export interface LaneState {
  /** Keys that could be handled if a worker were free. */
  waiting: number;
  underway: number;
  /** Ms for which the first of those has waited; 0 without any. */
  longestMs: number;
}

export interface WaitingKey {
  waiting: boolean;
  /** The lane in which it waits or waited last. */
  lane: string;
  /** Since when it waits, in ms of the monotonic clock. */
  since: number;
}

/** A queue for each lane, with this many workers besides its own for urgent keys. */
export const openLanes = (limits: Readonly<Record<string, Lane>>, extra: number): Map<string, FairQueue<string>> =>
  new Map(
    Object.entries(limits).map(([name, { workers: all, ofGroup: group }]) => [
      name,
      createFairQueue<string>({ all, group, extra }),
    ]),
  );

/** The lanes as they are now. */
export function laneStates(
  lanes: ReadonlyMap<string, FairQueue<string>>,
  keys: Iterable<WaitingKey>,
  nowMs: number,
): Record<string, LaneState> {
  const found = new Map<string, LaneState>();
  for (const [name, lane] of lanes) found.set(name, { waiting: 0, underway: lane.underway(), longestMs: 0 });
  for (const { waiting, lane, since } of keys) {
    const at = found.get(lane);
    if (!waiting || at === undefined) continue;
    at.waiting += 1;
    at.longestMs = Math.max(at.longestMs, nowMs - since);
  }
  return Object.fromEntries(found);
}
