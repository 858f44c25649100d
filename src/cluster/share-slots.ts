import { createFairLine, type LineLimits } from "./fair-line.ts";

/** Runs `work` of a group once a slot is free for it. */
export type Slots = <T>(group: string, work: () => Promise<T>) => Promise<T>;

/** Slots that groups share: they take turns, and one group never holds more than `limits.group`. */
export function shareSlots(limits: LineLimits): Slots {
  const line = createFairLine<() => void>(limits);

  function pump(): void {
    for (let next = line.take(); next !== null; next = line.take()) next.item();
  }

  return async (group, work) => {
    const turn = Promise.withResolvers<undefined>();
    line.push(group, () => {
      turn.resolve(undefined);
    });
    pump();
    await turn.promise;
    try {
      return await work();
    } finally {
      line.done(group);
      pump();
    }
  };
}
