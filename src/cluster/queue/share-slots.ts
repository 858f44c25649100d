import { createFairQueue, type QueueLimits, type Turn } from "./fair-queue.ts";

/** Runs `work` of a group once a slot is free for it; urgent work first. */
export type Slots = <T>(group: string, work: () => Promise<T>, isUrgent?: boolean) => Promise<T>;

type Begin = (turn: Turn<Begin>) => void;

/** Slots that groups share: they are served in turn, and one group never holds more than `limits.group`. */
export function shareSlots(limits: QueueLimits): Slots {
  const queue = createFairQueue<Begin>(limits);

  function pump(): void {
    for (let next = queue.take(); next !== null; next = queue.take()) next.item(next);
  }

  return async (group, work, isUrgent = false) => {
    const waiting = Promise.withResolvers<Turn<Begin>>();
    if (isUrgent) queue.pushFirst(group, waiting.resolve);
    else queue.push(group, waiting.resolve);
    pump();
    const turn = await waiting.promise;
    try {
      return await work();
    } finally {
      queue.done(turn);
      pump();
    }
  };
}
