import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { createFairQueue } from "../../../src/cluster/queue/fair-queue.ts";
import { shareSlots } from "../../../src/cluster/queue/share-slots.ts";
import { createWorkQueue, DONE } from "../../../src/cluster/queue/work-queue.ts";

it("urgent work comes first, and has places that slow work cannot take", async () => {
  const slots = shareSlots({ all: 2, group: 1, extra: 1 });
  const gate = Promise.withResolvers<undefined>();
  const began: string[] = [];
  const work = (name: string, isUrgent: boolean, until: Promise<unknown> = Promise.resolve()) =>
    slots(
      name.slice(0, 1),
      async () => {
        began.push(name);
        await until;
      },
      isUrgent,
    );
  const slow = [work("a install 1", false, gate.promise), work("b install", false, gate.promise)];
  const later = work("a install 2", false);
  await Promise.all([work("a end 1", true), work("a end 2", true)]);
  expect(began).toEqual(["a install 1", "b install", "a end 1", "a end 2"]);
  gate.resolve(undefined);
  await Promise.all([...slow, later]);
  expect(began.at(-1)).toBe("a install 2");
});

it("groups take turns among urgent work, too", () => {
  const queue = createFairQueue<string>({ all: 1, group: 1, extra: 2 });
  for (const item of ["a1", "a2", "a3"]) queue.pushFirst("a", item);
  queue.pushFirst("b", "b1");
  const turns = [queue.take(), queue.take()];
  expect(turns.map((turn) => turn?.item)).toEqual(["a1", "b1"]);
  // The usual place is free: the next urgent one gets it.
  expect(queue.take()).toMatchObject({ item: "a2", isExtra: false });
  expect(queue.take()).toBeNull();
  for (const turn of turns) if (turn !== null) queue.done(turn);
  expect(queue.underway()).toBe(1);
  expect(queue.take()).toMatchObject({ item: "a3", isExtra: true });
});

it("a key that waits becomes urgent, and is handled once", async () => {
  const gate = Promise.withResolvers<undefined>();
  const handled: string[] = [];
  const queue = createWorkQueue({
    ...{ workers: 2, urgentWorkers: 1, backoff: { firstMs: 60_000, maxMs: 60_000 }, onFailure: () => undefined },
    async handle(key) {
      handled.push(key);
      if (key.startsWith("slow")) await gate.promise;
      if (key === "failing") throw new TypeError("told to");
      return DONE;
    },
  });
  queue.add("failing");
  await sleep(5);
  for (const key of ["slow-1", "slow-2", "x", "due", "y"]) queue.add(key);
  queue.addFirst("due");
  queue.addFirst("due");
  // Its back-off of a minute does not hold it up.
  queue.addFirst("failing");
  await expect.poll(() => handled).toEqual(["failing", "slow-1", "slow-2", "due", "failing"]);
  gate.resolve(undefined);
  await expect.poll(() => handled.slice(5)).toEqual(["x", "y"]);
  await queue.drain();
});
