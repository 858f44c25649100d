import type { Tarball } from "../../src/bundle/open-source.ts";
import type { LandfallError } from "../../src/errors.ts";
import type { ToldEvent } from "../decisions/messages.ts";
import type { DecisionThread } from "../decisions/start-thread.ts";
import type { Beside } from "../../src/bundle/follow/bundle-set.ts";

/** Every thread that lives: the one that decides, and those that load or end. */
export interface Threads {
  open(tarball: Tarball, ref: string, beside: Beside): DecisionThread;
  /** Lets a thread answer what it was asked, then ends it. */
  retire(thread: DecisionThread): Promise<void>;
  /** Passes a fact on to every thread but the one that it is from, those that still load included. */
  tell(event: ToldEvent, from?: DecisionThread): void;
  stop(): Promise<void>;
}

/** Starts a thread; `tellOthers` passes a fact that it learned on to the other threads. */
export type StartThread = (
  tarball: Tarball,
  ref: string,
  beside: Beside,
  tellOthers: (event: ToldEvent, from: DecisionThread) => void,
) => DecisionThread;

/** Starts threads and knows which of them live; `onEnd` hears of one that ended by itself. */
export function createThreads(
  start: StartThread,
  onEnd: (thread: DecisionThread, error: LandfallError) => void,
): Threads {
  const living = new Set<DecisionThread>();
  let stopped = false;
  const tell: Threads["tell"] = (event, from) => {
    for (const thread of living) if (thread !== from) thread.tell(event);
  };
  return {
    open: (tarball, ref, beside) => {
      const thread = start(tarball, ref, beside, tell);
      living.add(thread);
      void thread.ended.then((error) => {
        const known = living.delete(thread);
        if (known && !stopped) onEnd(thread, error);
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
