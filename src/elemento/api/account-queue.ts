import PQueue from "p-queue";
import type { ClientOptions } from "./client-options.ts";

export interface AccountQueue {
  add<T>(work: () => Promise<T>): Promise<T>;
  /** Starts nothing for so many milliseconds. */
  pause(ms: number): void;
  /** Ends a pause. */
  resume(): void;
}

/** A queue for one account: so many requests at once and within any second, and none while Elemento asks for a pause. */
export function openAccountQueue({
  parallel,
  requestsPerSecond,
}: Pick<ClientOptions, "parallel" | "requestsPerSecond">): AccountQueue {
  const queue = new PQueue({ concurrency: parallel, intervalCap: requestsPerSecond, interval: 1000, strict: true });
  let until = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    add: (work) => queue.add(work),
    pause: (ms) => {
      if (ms === 0 || Date.now() + ms <= until) return;
      until = Date.now() + ms;
      queue.pause();
      clearTimeout(timer);
      timer = setTimeout(() => queue.start(), ms);
    },
    resume: () => {
      clearTimeout(timer);
      queue.start();
    },
  };
}
