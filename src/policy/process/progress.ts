import { readSync, writeSync } from "node:fs";

/** The current piece of work, and a number that differs for each piece of work. */
interface Turn {
  id: number;
  turn: number;
}

/** The current work of a process, as it says in a file. */
export interface Progress {
  /** Runs `work` for the request of this id. */
  on<T>(id: number, work: () => T): T;
  /** Runs `work` with the rules of the team at this index. */
  of<T>(team: number, work: () => T): T;
  /**
   * Names the request and the team of this turn of the event loop as the ones at work, if it was one only: for an error that their work left
   * behind, such as a rejected promise.
   */
  blameRecent(): void;
}

/** The same, as another process reads it. */
export interface SeenProgress {
  /** The request that is worked on; null while there is none. */
  request: Turn | null;
  /** The index of the team whose rules are at work; null while there is none. */
  team: Turn | null;
}

const [ID, TURN, TEAM, TEAM_TURN, CELLS] = [0, 1, 2, 3, 4];
const BYTES = CELLS * Int32Array.BYTES_PER_ELEMENT;
const NOTHING = -1;
/** The file in the process that writes, after the three standard ones and the channel. */
export const PROGRESS_FILE = 4;
/** Stands for work for several requests, which none of them is to blame for. */
export const SEVERAL = -2;
/** Stands for taking in the data of the cluster: no request and no bundle is to blame for what that takes. */
export const DATA = -3;

/** The ids of one turn of the event loop: which one it was, if it was one only. */
function recentIds(): { add: (id: number) => void; only: () => number } {
  const seen = new Set<number>();
  return {
    add: (id) => {
      // The queue of immediates comes after what the turn left behind.
      if (seen.size === 0) setImmediate(() => seen.clear());
      seen.add(id);
    },
    only: () => (seen.size === 1 ? (seen.values().next().value ?? NOTHING) : NOTHING),
  };
}

/**
 * Writes progress into this open file, which stays when the process dies: who reads it then knows which request and whose
 * rules it was.
 */
export function writeProgress(file: number): Progress {
  const cells = new Int32Array(CELLS);
  const bytes = new Uint8Array(cells.buffer);
  cells[ID] = NOTHING;
  cells[TEAM] = NOTHING;
  const [requests, teams] = [recentIds(), recentIds()];
  const write = (): void => void writeSync(file, bytes, 0, BYTES, 0);
  const during = <T>(cell: number, turn: number, id: number, work: () => T): T => {
    const outer = cells[cell] ?? NOTHING;
    cells[cell] = id;
    cells[turn] = (cells[turn] ?? 0) + 1;
    write();
    const result = work();
    // Not in `finally`: what throws here ends the process, and then this is the request that did it.
    cells[cell] = outer;
    write();
    return result;
  };
  write();
  return {
    on: (id, work) => {
      requests.add(id);
      return during(ID, TURN, id, work);
    },
    of: (team, work) => {
      teams.add(team);
      try {
        return during(TEAM, TEAM_TURN, team, work);
      } finally {
        // An error of a team's rules denies the request, and the process continues.
        if (cells[TEAM] !== NOTHING) {
          cells[TEAM] = NOTHING;
          write();
        }
      }
    },
    blameRecent: () => {
      // Otherwise an error of the work itself: then the cells say whose.
      if (cells[ID] !== NOTHING) return;
      [cells[ID], cells[TEAM]] = [requests.only(), teams.only()];
      write();
    },
  };
}

/** The current work of the process that writes into this file. */
export function readProgress(file: number): SeenProgress {
  const cells = new Int32Array(CELLS).fill(NOTHING);
  const read = readSync(file, new Uint8Array(cells.buffer), 0, BYTES, 0);
  const turn = (id: number | undefined, count: number | undefined): Turn | null =>
    read < BYTES || id === undefined || id === NOTHING ? null : { id, turn: count ?? 0 };
  return { request: turn(cells[ID], cells[TURN]), team: turn(cells[TEAM], cells[TEAM_TURN]) };
}

/** Says, each time it is asked at `nowMs`, whether the same piece of work has gone on for more than `limitMs`. */
export function stuckWatch(limitMs: number): (working: Turn | null, nowMs: number) => boolean {
  let seen: { turn: number; sinceMs: number } | null = null;
  return (working, nowMs) => {
    if (working === null) seen = null;
    else if (working.turn !== seen?.turn) seen = { turn: working.turn, sinceMs: nowMs };
    return seen !== null && nowMs - seen.sinceMs > limitMs;
  };
}
