import type { Said } from "../../../src/policy/process/watched-process.ts";
import type { FromProcess } from "../messages.ts";

/**
 * While more requests wait, answers are collected for at most this long, in ms, and sent together: waking the other process
 * costs more than sending.
 */
const HELD_MS = 0.8;

/** The messages of the process that decides to the webhook. */
export interface Outbox {
  /** Sends a message, or collects it while `busy` works. */
  say: (message: FromProcess | Said) => void;
  /** Runs `work`; what it says may be sent later. */
  busy: (work: () => void) => void;
  /** Whether messages wait. */
  waits: () => boolean;
  /** Sends what waits. */
  flush: () => void;
}

/** An outbox that sends several messages together. */
export function createOutbox(send: (messages: readonly (FromProcess | Said)[]) => void): Outbox {
  let unsaid: (FromProcess | Said)[] = [];
  let since = 0;
  let isBusy = false;
  function flush(): void {
    if (unsaid.length > 0) send(unsaid);
    unsaid = [];
  }
  return {
    flush,
    say(message) {
      const nowMs = performance.now();
      if (unsaid.push(message) === 1) since = nowMs;
      if (!isBusy || nowMs - since > HELD_MS) flush();
    },
    busy(work) {
      isBusy = true;
      work();
      isBusy = false;
    },
    waits: () => unsaid.length > 0,
  };
}
