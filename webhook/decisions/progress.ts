/** What a decision thread works on at the moment, in memory that it shares with the main thread. */
export interface Progress {
  /** Runs `work` for the request of this id. */
  on<T>(id: number, work: () => T): T;
  /** The request that is worked on, and a number that differs for each piece of work; null while there is none. */
  current(): { id: number; turn: number } | null;
}

const [ID, TURN] = [0, 1];
const NOTHING = -1;
/** Stands for work for several requests, which none of them is to blame for. */
export const SEVERAL = -2;

/** Memory for `openProgress`. */
export function makeProgress(): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  new Int32Array(memory)[ID] = NOTHING;
  return memory;
}

/**
 * The progress in this memory. The thread writes and the main thread reads: if the thread ends or hangs, this says which
 * request it was.
 */
export function openProgress(memory: SharedArrayBuffer): Progress {
  const cells = new Int32Array(memory);
  return {
    on: (id, work) => {
      const outer = Atomics.load(cells, ID);
      Atomics.store(cells, ID, id);
      Atomics.add(cells, TURN, 1);
      const result = work();
      // Not in `finally`: what throws here ends the thread, and then this is the request that did it.
      Atomics.store(cells, ID, outer);
      return result;
    },
    current: () => {
      const id = Atomics.load(cells, ID);
      return id === NOTHING ? null : { id, turn: Atomics.load(cells, TURN) };
    },
  };
}

/** Says, each time it is asked at `nowMs`, whether the same piece of work has gone on for more than `limitMs`. */
export function stuckWatch(progress: Progress, limitMs: number): (nowMs: number) => boolean {
  let seen: { turn: number; sinceMs: number } | null = null;
  return (nowMs) => {
    const working = progress.current();
    if (working === null) seen = null;
    else if (working.turn !== seen?.turn) seen = { turn: working.turn, sinceMs: nowMs };
    return seen !== null && nowMs - seen.sinceMs > limitMs;
  };
}
