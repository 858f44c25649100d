import type { Asked } from "./answer-requests.ts";
import type { Outbox } from "./create-outbox.ts";
import { takeSourceTurns } from "./take-source-turns.ts";

/** Work after which messages that arrived in the meantime get their turn, in ms: who is served next is known only then. */
const ROUND_MS = 5;

export interface Requests {
  push: (asked: Asked) => void;
  /** Answers what waits, in turns. */
  work: () => void;
}

/** Calls `ask` for the requests in turns, until answers were sent or a round took its time: then messages that arrived in the meantime get their turn. */
export function takeRequests(
  ask: (asked: Asked) => void,
  { outbox, usedMs }: { outbox: Pick<Outbox, "busy" | "flush" | "waits">; usedMs: () => number },
): Requests {
  const turns = takeSourceTurns<Asked>();
  let resumed: NodeJS.Immediate | null = null;
  const takeTurns = (): void => {
    const roundMs = usedMs();
    for (let turn = turns.next(); turn !== null; turn = turns.next()) {
      const beganMs = usedMs();
      ask(turn.item);
      const nowMs = usedMs();
      turns.charge(turn, nowMs - beganMs);
      if (outbox.waits() && nowMs - roundMs < ROUND_MS) continue;
      resumed = setImmediate(work);
      break;
    }
  };
  const work = (): void => {
    resumed = null;
    outbox.busy(takeTurns);
    outbox.flush();
  };
  return {
    push: (asked) => {
      turns.push({ source: asked.caller?.source ?? "", namespace: asked.namespace, user: asked.user, item: asked });
    },
    work: () => {
      if (resumed === null) work();
    },
  };
}
