import { setTimeout as sleep } from "node:timers/promises";
import PQueue from "p-queue";
import type { ClientOptions } from "../client-options.ts";
import { LONGEST_PAUSE_MS } from "./repeat-call.ts";

export interface AccountQueue {
  /** Does a work in its turn. Where Elemento wants a longer pause than is waited here, it rejects with what `paused` makes of it. */
  add<T>(work: () => Promise<T>, paused: (ms: number) => Error): Promise<T>;
  /** Starts nothing for so many milliseconds. */
  pause(ms: number): void;
}

/**
 * A queue for one account: so many requests at once and within any second, and none while Elemento asks for a pause.
 * p-queue is here for its limit per second; where only the number at once is limited, p-limit is enough.
 */
export function openAccountQueue(
  { parallel, requestsPerSecond }: Pick<ClientOptions, "parallel" | "requestsPerSecond">,
  signal: AbortSignal,
): AccountQueue {
  const queue = new PQueue({ concurrency: parallel, intervalCap: requestsPerSecond, interval: 1000, strict: true });
  let until = 0;
  return {
    add: (work, paused) =>
      queue.add(async () => {
        const left = until - Date.now();
        if (left > LONGEST_PAUSE_MS) throw paused(left);
        if (left > 0) {
          await sleep(left, undefined, { signal }).catch(() => {
            throw paused(left);
          });
        }
        return await work();
      }),
    pause: (ms) => {
      until = Math.max(until, Date.now() + ms);
    },
  };
}
