import type { Advice } from "../../../src/model/advice.ts";
import { SEVERAL, type Progress } from "../../../src/policy/process/progress.ts";
import { uptimeMs } from "../../../src/processes/uptime-ms.ts";
import { batchRequests } from "./batch-requests.ts";
import type { Outbox } from "./create-outbox.ts";
import type { DecisionLines } from "./decision-lines.ts";
import type { AnsweredReply, Answers } from "./make-answers.ts";
import type { ToProcess } from "../messages.ts";

export type Asked = Extract<ToProcess, { type: "ask" }>;

export interface AnswerRequests {
  /** The answers of the rules that are asked now. */
  answer: () => Answers;
  /** Lines of the decision log. */
  line: DecisionLines;
  /** Whether an external scheduler is asked. */
  consults: boolean;
  say: Outbox["say"];
  /** Runs the work of a request. */
  on: <T>(asked: Asked, work: () => T) => T;
  working: Progress;
  /** Seconds since 1970. */
  nowSeconds: () => number;
}

export interface Requests {
  ask(asked: Asked): void;
  /** Continues the request that waits for this answer of the external scheduler. */
  advise(id: number, advice: Advice): void;
}

/** Answers requests: immediately, with the answer of an external scheduler, or together with others of the same moment. */
export function answerRequests({ answer, line, consults, say, on, working, nowSeconds }: AnswerRequests): Requests {
  const waiting = new Map<number, Asked>();
  const reply = ({ id, quiet }: Asked, { reserved, claim, decided, ...answered }: AnsweredReply): void => {
    const event = decided === null || quiet ? null : line(decided, Number(answered.log?.["ms"] ?? 0));
    say({ type: "reply", id, reply: answered, reserved, claim: quiet ? null : claim, event });
  };
  const consult = (asked: Asked): void => {
    const answered = answer()(asked.path, asked.body, { ask: "advice", authentication: asked.caller?.authentication });
    if (!("state" in answered)) reply(asked, answered);
    else {
      waiting.set(asked.id, asked);
      say({ type: "consult", id: asked.id, request: answered.request });
    }
  };
  const batch = batchRequests<Asked>({
    nowSeconds,
    begin: ({ path, body, caller }, at) =>
      answer()(path, body, { ask: "batch", nowSeconds: at, authentication: caller?.authentication }),
    finish: (asked, settled) =>
      on(asked, () => answer()(asked.path, asked.body, { ...settled, authentication: asked.caller?.authentication })),
    reply,
    search: (work) => working.on(SEVERAL, work),
  });
  return {
    ask(asked) {
      // Its caller has been refused by now: a decision would only reserve what no one uses.
      if (uptimeMs() > asked.untilMs) say({ type: "dropped", id: asked.id });
      // Trials of a bundle ask no scheduler and join no batch. With an external scheduler, requests join no batch.
      else if (asked.quiet) reply(asked, answer()(asked.path, asked.body));
      else if (consults) consult(asked);
      else if (asked.again === true)
        reply(asked, answer()(asked.path, asked.body, { authentication: asked.caller?.authentication }));
      else batch(asked);
    },
    advise(id, advice) {
      const asked = waiting.get(id);
      waiting.delete(id);
      if (asked === undefined) return;
      on(asked, () =>
        reply(asked, answer()(asked.path, asked.body, { advice, authentication: asked.caller?.authentication })),
      );
    },
  };
}
