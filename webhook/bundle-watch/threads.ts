import type { Tarball } from "../../src/bundle/open-source.ts";
import type { ToldEvent } from "../decisions/messages.ts";
import type { DecisionThread, ThreadEnd } from "../decisions/start-thread.ts";
import type { Beside } from "../../src/bundle/follow/bundle-set.ts";

/** All running threads: the active one, and those that load or stop. */
export interface Threads {
  open(tarball: Tarball, ref: string, beside: Beside): DecisionThread;
  /** Stops a thread after it has answered its requests. */
  retire(thread: DecisionThread): Promise<void>;
  /** Passes an event to every thread except `from`, also to those that still load. */
  tell(event: ToldEvent, from?: DecisionThread): void;
  stop(): Promise<void>;
}

/** Starts a thread; `tellOthers` passes its events to the other threads. */
export type StartThread = (
  tarball: Tarball,
  ref: string,
  beside: Beside,
  tellOthers: (event: ToldEvent, from: DecisionThread) => void,
) => DecisionThread;

/** Starts threads and tracks them. `onEnd` is called if one ends by itself. */
export function createThreads(start: StartThread, onEnd: (thread: DecisionThread, end: ThreadEnd) => void): Threads {
  const living = new Set<DecisionThread>();
  let stopped = false;
  const tell: Threads["tell"] = (event, from) => {
    for (const thread of living) if (thread !== from) thread.tell(event);
  };
  return {
    open: (tarball, ref, beside) => {
      const thread = start(tarball, ref, beside, tell);
      living.add(thread);
      void thread.ended.then((end) => {
        const known = living.delete(thread);
        if (known && !stopped) onEnd(thread, end);
      });
      return thread;
    },
    retire: async (thread) => {
      living.delete(thread);
      await thread.stop();
    },
    tell,
    stop: async () => {
      stopped = true;
      await Promise.all([...living].map((thread) => thread.stop()));
    },
  };
}
