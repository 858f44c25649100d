/** What a decision thread works on at the moment, in memory that it shares with the main thread. */
export interface Progress {
  /** Runs `work` for the request of this id. */
  on<T>(id: number, work: () => T): T;
  /** The request that is worked on, and a number that differs for each piece of work; null while there is none. */
  current(): Turn | null;
  /** Runs `work` with the rules of the team at this index. */
  of<T>(team: number, work: () => T): T;
  /** The index of the team whose rules are at work; null while there is none. */
  team(): Turn | null;
}

/** What is worked on, and a number that differs for each piece of work. */
interface Turn {
  id: number;
  turn: number;
}

const [ID, TURN, TEAM, TEAM_TURN, CELLS] = [0, 1, 2, 3, 4];
const NOTHING = -1;
/** Stands for work for several requests, which none of them is to blame for. */
export const SEVERAL = -2;

/** Memory for `openProgress`. */
export function makeProgress(): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT);
  for (const cell of [ID, TEAM]) new Int32Array(memory)[cell] = NOTHING;
  return memory;
}

/**
 * The progress in this memory. The thread writes and the main thread reads: if the thread ends or hangs, this says which
 * request it was.
 */
export function openProgress(memory: SharedArrayBuffer): Progress {
  const cells = new Int32Array(memory);
  const during = <T>(cell: number, turn: number, id: number, work: () => T): T => {
    const outer = Atomics.load(cells, cell);
    Atomics.store(cells, cell, id);
    Atomics.add(cells, turn, 1);
    const result = work();
    // Not in `finally`: what throws here ends the thread, and then this is the request that did it.
    Atomics.store(cells, cell, outer);
    return result;
  };
  const read = (cell: number, turn: number): Turn | null => {
    const id = Atomics.load(cells, cell);
    return id === NOTHING ? null : { id, turn: Atomics.load(cells, turn) };
  };
  return {
    on: (id, work) => during(ID, TURN, id, work),
    current: () => read(ID, TURN),
    of: (team, work) => {
      try {
        return during(TEAM, TEAM_TURN, team, work);
      } finally {
        // An error of a team's rules denies the request, and the thread goes on.
        Atomics.store(cells, TEAM, NOTHING);
      }
    },
    team: () => read(TEAM, TEAM_TURN),
  };
}

/** Says, each time it is asked at `nowMs`, whether the same piece of work has gone on for more than `limitMs`. */
export function stuckWatch(present: () => Turn | null, limitMs: number): (nowMs: number) => boolean {
  let seen: { turn: number; sinceMs: number } | null = null;
  return (nowMs) => {
    const working = present();
    if (working === null) seen = null;
    else if (working.turn !== seen?.turn) seen = { turn: working.turn, sinceMs: nowMs };
    return seen !== null && nowMs - seen.sinceMs > limitMs;
  };
}
