import type { FairQueue } from "./fair-queue.ts";
import { type Lane, type LaneState, laneStates, openLanes, type WaitingKey } from "./lanes.ts";

/** The result of a handler. */
export interface Result {
  /** Milliseconds after which the key is handled again without an event; null for never. */
  requeueAfter: number | null;
}

/** The key needs no further work until the next event. */
export const DONE: Result = { requeueAfter: null };

export interface WorkQueueOptions {
  /** How many keys are handled at the same time. One key is never handled twice at the same time. */
  workers: number;
  /** Keys of one group are served in turn with those of others, and use at most this many workers; without it, all keys are of one group. */
  groups?: { of: (key: string) => string; workers: number };
  /** Lanes instead of `workers`: a key waits in the one that it has when it is added, so that no lane waits for another. */
  lanes?: { of: (key: string) => string; limits: Readonly<Record<string, Lane>> };
  /** Workers of each lane besides these for keys that were added first; 0 if omitted. */
  urgentWorkers?: number;
  /** Handles a key. If it rejects, the key is handled again after its back-off. */
  handle: (key: string) => Promise<Result>;
  onFailure: (key: string, thrown: unknown, retryMs: number) => void;
  /** First delay after a failure and the longest one, in ms. */
  backoff: { firstMs: number; maxMs: number };
  /** 0..1 */
  random?: () => number;
}

export interface WorkQueue {
  /** Its lanes; without any, one that is called `all`. */
  states(): Record<string, LaneState>;
  /** Handles `key` as soon as a worker is free, but not before its back-off ends. */
  add(key: string): void;
  /** Handles `key` before all that wait, whatever its back-off. */
  addFirst(key: string): void;
  /** Adds `key` after `delayMs`. The earliest of several delays counts. */
  addAfter(key: string, delayMs: number): void;
  /** Forgets the failures, the back-off and the timer of `key`: a following `add` is not delayed. */
  forget(key: string): void;
  /** Handles every key that waits for the end of its back-off now. For the end of an outage. */
  retryAll(): void;
  /** Takes no more keys and waits for the handlers that run. */
  drain(): Promise<void>;
}

interface KeyState extends WaitingKey {
  failures: number;
  /** End of the back-off, in ms of the monotonic clock. */
  notBefore: number;
  timer: NodeJS.Timeout | null;
  /** When the timer fires. */
  due: number;
  running: boolean;
  /** Asked for again while it ran. */
  again: boolean;
}

/** The lane of a queue without lanes. */
const ALL = "all";

const fresh = (): KeyState => ({
  failures: 0,
  notBefore: 0,
  timer: null,
  due: Infinity,
  waiting: false,
  lane: ALL,
  since: 0,
  running: false,
  again: false,
});

/** A queue of keys without duplicates: one handler per key at a time, exponential back-off with jitter per key. */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { workers, handle, onFailure, backoff, urgentWorkers: extra = 0, random = Math.random } = options;
  const { groups = { of: () => "", workers } } = options;
  const { lanes = { of: () => ALL, limits: { [ALL]: { workers, ofGroup: groups.workers } } } } = options;
  const states = new Map<string, KeyState>();
  const ready = openLanes(lanes.limits, extra);
  const underway = new Set<Promise<void>>();
  let closed = false;

  function state(key: string): KeyState {
    const known = states.get(key) ?? fresh();
    states.set(key, known);
    return known;
  }

  function clearTimer(of: KeyState): void {
    if (of.timer) clearTimeout(of.timer);
    of.timer = null;
    of.due = Infinity;
  }

  /** Lets a key wait in its lane. */
  function wait(key: string, of: KeyState): FairQueue<string> {
    if (!of.waiting) [of.waiting, of.lane, of.since] = [true, lanes.of(key), performance.now()];
    return ready.get(of.lane) as FairQueue<string>;
  }

  function enqueue(key: string, of: KeyState): void {
    clearTimer(of);
    if (of.running) of.again = true;
    else if (!of.waiting) {
      wait(key, of).push(groups.of(key), key);
    }
    pump();
  }

  function addAfter(key: string, delayMs: number): void {
    if (closed) return;
    const of = state(key);
    const nowMs = performance.now();
    const due = Math.max(nowMs + delayMs, of.notBefore);
    if (due <= nowMs) {
      enqueue(key, of);
      return;
    }
    if (due >= of.due) return;
    clearTimer(of);
    of.due = due;
    of.timer = setTimeout(() => {
      enqueue(key, of);
    }, due - nowMs);
  }

  const add = (key: string): void => {
    addAfter(key, 0);
  };

  function fail(key: string, of: KeyState, thrown: unknown): void {
    const delay = Math.min(backoff.maxMs, backoff.firstMs * 2 ** of.failures) * (0.75 + random() / 2);
    of.failures += 1;
    of.notBefore = performance.now() + delay;
    onFailure(key, thrown, Math.round(delay));
    add(key);
  }

  async function run(key: string, of: KeyState): Promise<void> {
    try {
      const { requeueAfter } = await handle(key);
      of.failures = 0;
      of.notBefore = 0;
      if (requeueAfter !== null) addAfter(key, requeueAfter);
    } catch (thrown) {
      fail(key, of, thrown);
    } finally {
      of.running = false;
    }
    if (of.again) {
      of.again = false;
      add(key);
    } else if (!of.timer && !of.waiting) states.delete(key);
  }

  function pump(): void {
    for (const lane of ready.values()) pumpLane(lane);
  }

  function pumpLane(lane: FairQueue<string>): void {
    while (!closed) {
      const next = lane.take();
      if (next === null) return;
      const { item: key } = next;
      const of = state(key);
      of.waiting = false;
      of.running = true;
      const work = run(key, of).finally(() => {
        underway.delete(work);
        lane.done(next);
        pump();
      });
      underway.add(work);
    }
  }

  function forget(key: string): void {
    const of = states.get(key);
    if (!of) return;
    of.failures = 0;
    of.notBefore = 0;
    clearTimer(of);
    // A key that waits for a worker keeps its place: with a new state it could be handled twice at the same time.
    if (!of.running && !of.waiting) states.delete(key);
  }

  function addFirst(key: string): void {
    if (closed) return;
    forget(key);
    const of = state(key);
    if (of.running) of.again = true;
    else {
      wait(key, of).pushFirst(groups.of(key), key);
    }
    pump();
  }

  return {
    states: () => laneStates(ready, states.values(), performance.now()),
    add,
    addFirst,
    addAfter,
    forget,
    retryAll() {
      for (const [key, of] of [...states]) {
        if (of.notBefore === 0) continue;
        forget(key);
        add(key);
      }
    },
    async drain() {
      closed = true;
      for (const of of states.values()) clearTimer(of);
      await Promise.allSettled(underway);
    },
  };
}
