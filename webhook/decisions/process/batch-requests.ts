import type { NeedsBatch } from "../../../src/admission/types.ts";
import { placeBatch } from "../../../src/placement/place-batch.ts";
import type { AnsweredReply, Settled } from "./make-answers.ts";

/** A batch of this size is placed immediately: the search time grows with it, and other requests wait. */
const MOST = 16;

interface Waiting<Asked> {
  asked: Asked;
  item: NeedsBatch["item"];
  /** When it was asked: the wait must not reduce its slack. */
  nowSeconds: number;
}

export interface BatchOptions<Asked> {
  /** Seconds since 1970. */
  nowSeconds: () => number;
  /** The answer, or what it needs from a batch. */
  begin: (asked: Asked, nowSeconds: number) => AnsweredReply | NeedsBatch;
  /** The answer with the plan of a batch. */
  finish: (asked: Asked, settled: Settled) => AnsweredReply;
  reply: (asked: Asked, answered: AnsweredReply) => void;
  /** Runs the search for the places of a batch, which is the work of no single request. */
  search: <T>(work: () => T) => T;
}

/** A single request is placed without a plan, and so is each of a batch that cannot be placed together. */
function plansOf(placed: readonly Waiting<unknown>[]): ReturnType<typeof placeBatch> {
  if (placed.length < 2) return [];
  try {
    return placeBatch(placed.map(({ item }) => item));
  } catch {
    return [];
  }
}

/**
 * Answers requests immediately, except those whose place depends on the others that are asked at the same moment: these wait for
 * `gatherMilliseconds` of the settings, and are placed as one batch.
 */
export function batchRequests<Asked>({
  nowSeconds,
  begin,
  finish,
  reply,
  search,
}: BatchOptions<Asked>): (asked: Asked) => void {
  let batch: Waiting<Asked>[] = [];
  let timer: NodeJS.Timeout | undefined;

  function place(): void {
    clearTimeout(timer);
    timer = undefined;
    const placed = batch;
    batch = [];
    const plans = search(() => plansOf(placed));
    for (const [index, waiting] of placed.entries()) {
      const settled = { plan: plans[index] ?? null, nowSeconds: waiting.nowSeconds };
      reply(waiting.asked, finish(waiting.asked, settled));
    }
  }

  return (asked) => {
    const at = nowSeconds();
    const answered = begin(asked, at);
    if (!("state" in answered)) {
      reply(asked, answered);
      return;
    }
    batch.push({ asked, item: answered.item, nowSeconds: at });
    if (batch.length === MOST) place();
    else timer ??= setTimeout(place, answered.waitMs);
  };
}
