import { createFairLine, type LineLimits, type Turn } from "./fair-line.ts";

/** Runs `work` of a group once a slot is free for it; urgent work first. */
export type Slots = <T>(group: string, work: () => Promise<T>, isUrgent?: boolean) => Promise<T>;

type Begin = (turn: Turn<Begin>) => void;

/** Slots that groups share: they take turns, and one group never holds more than `limits.group`. */
export function shareSlots(limits: LineLimits): Slots {
  const line = createFairLine<Begin>(limits);

  function pump(): void {
    for (let next = line.take(); next !== null; next = line.take()) next.item(next);
  }

  return async (group, work, isUrgent = false) => {
    const waiting = Promise.withResolvers<Turn<Begin>>();
    if (isUrgent) line.pushFirst(group, waiting.resolve);
    else line.push(group, waiting.resolve);
    pump();
    const turn = await waiting.promise;
    try {
      return await work();
    } finally {
      line.done(turn);
      pump();
    }
  };
}
