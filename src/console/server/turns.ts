import { setTimeout } from "node:timers/promises";
import { shareSlots } from "../../cluster/queue/share-slots.ts";
import { LandfallError } from "../../errors.ts";

/** Does a piece of work when its turn has come. */
export type Doing = <T>(work: () => T) => Promise<T>;

/** Does work that takes the thread for long, in the turn of the user who asks for it. Throws CONSOLE_AGAIN if the page has `left` by then. */
export type InTurn = <T>(work: () => T, left: AbortSignal) => Promise<T>;

/** The rest after a piece of work, as a share of its time. Node accepts one connection in each round of its loop: a round is not enough. */
const REST = 1 / 4;

/**
 * The turns of users on the thread that they share: one does one piece of work, then the next user's turn comes. Between two of them, requests
 * that take little time are answered.
 */
export function createTurns(): (user: string) => InTurn {
  const slots = shareSlots({ all: 1, group: 1 });
  let restsUntil = 0;

  function timed<T>(work: () => T): T {
    const began = performance.now();
    try {
      return work();
    } finally {
      const ended = performance.now();
      restsUntil = ended + REST * (ended - began);
    }
  }

  return (user) => (work, left) =>
    slots(user, async () => {
      if (left.aborted) throw new LandfallError("CONSOLE_AGAIN", { detail: "the page has left", seconds: 1 });
      await setTimeout(Math.max(0, restsUntil - performance.now()));
      return timed(work);
    });
}
