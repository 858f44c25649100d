import { isGathered, newTogether, type Together } from "../../src/admission/decide/batch.ts";
import { placeBatch } from "../../src/placement/place-batch.ts";
import type { AnsweredReply } from "../review/make-answers.ts";

/** A batch that has so many is placed at once: the search grows with it, and others wait meanwhile. */
const MOST = 16;

interface Gathered<Asked> {
  asked: Asked;
  together: Together;
}

export interface GatherOptions<Asked> {
  /** Seconds since 1970. */
  nowSeconds: () => number;
  answer: (asked: Asked, together: Together) => AnsweredReply;
  reply: (asked: Asked, answered: AnsweredReply) => void;
}

/**
 * Answers questions at once, but for those whose place depends on the others that are asked at the same moment: these wait
 * for `gatherMilliseconds` of the settings, and are placed together.
 */
export function createGatherer<Asked>({ nowSeconds, answer, reply }: GatherOptions<Asked>): (asked: Asked) => void {
  let gathered: Gathered<Asked>[] = [];
  let timer: NodeJS.Timeout | undefined;

  function place(): void {
    clearTimeout(timer);
    timer = undefined;
    const batch = gathered;
    gathered = [];
    const items = batch.map(({ together }) => together.item).filter((item) => item !== null);
    // Alone it is placed as always.
    const plans = batch.length > 1 ? placeBatch(items) : [];
    for (const [index, { asked, together }] of batch.entries()) {
      together.plan = plans[index] ?? null;
      reply(asked, answer(asked, together));
    }
  }

  return (asked) => {
    const together = newTogether(nowSeconds());
    const answered = answer(asked, together);
    if (!isGathered(together)) {
      reply(asked, answered);
      return;
    }
    gathered.push({ asked, together });
    if (gathered.length === MOST) place();
    else timer ??= setTimeout(place, together.waitMs);
  };
}
