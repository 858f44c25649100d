import type { Tarball } from "../../src/bundle/open-source.ts";
import type { ToldEvent } from "../decisions/messages.ts";
import type { DecisionProcess, DecisionEnd } from "../decisions/start-process.ts";
import type { Beside } from "../../src/bundle/follow/bundle-set.ts";

/** All running processes: the active one, and those that load or stop. */
export interface Processes {
  open(tarball: Tarball, ref: string, beside: Beside): DecisionProcess;
  /** Stops a process after it has answered its requests. */
  retire(decider: DecisionProcess): Promise<void>;
  /** Passes an event to every process except `from`, also to those that still load. */
  tell(event: ToldEvent, from?: DecisionProcess): void;
  stop(): Promise<void>;
}

/** Starts a process; `tellOthers` passes its events to the other processes. */
export type StartProcess = (
  tarball: Tarball,
  ref: string,
  beside: Beside,
  tellOthers: (event: ToldEvent, from: DecisionProcess) => void,
) => DecisionProcess;

/** Starts processes and tracks them. `onEnd` is called if one exits. */
export function createProcesses(
  start: StartProcess,
  onEnd: (decider: DecisionProcess, end: DecisionEnd) => void,
): Processes {
  const living = new Set<DecisionProcess>();
  let stopped = false;
  const tell: Processes["tell"] = (event, from) => {
    for (const decider of living) if (decider !== from) decider.tell(event);
  };
  return {
    open: (tarball, ref, beside) => {
      const decider = start(tarball, ref, beside, tell);
      living.add(decider);
      void decider.ended.then((end) => {
        const known = living.delete(decider);
        if (known && !stopped) onEnd(decider, end);
      });
      return decider;
    },
    retire: async (decider) => {
      living.delete(decider);
      await decider.stop();
    },
    tell,
    stop: async () => {
      stopped = true;
      await Promise.all([...living].map((decider) => decider.stop()));
    },
  };
}
