import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { createWorkQueue, DONE } from "../../../src/cluster/queue/work-queue.ts";
import type { Result, WorkQueueOptions } from "../../../src/cluster/queue/work-queue.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Of the faked clock. */
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function queueOf(handle: WorkQueueOptions["handle"], more: Partial<WorkQueueOptions> = {}) {
  const retries: number[] = [];
  const queue = createWorkQueue({
    ...{ workers: 4, handle, backoff: { firstMs: 20, maxMs: 60 }, random: () => 0.5 },
    onFailure: (_key, _thrown, retryMs) => retries.push(retryMs),
    ...more,
  });
  onTestFinished(() => queue.drain());
  return { queue, retries };
}

it("handles a key once if it is added several times before its turn", async () => {
  const handled: string[] = [];
  const gate = Promise.withResolvers<Result>();
  const { queue } = queueOf(
    async (key) => {
      handled.push(key);
      return gate.promise;
    },
    { workers: 1 },
  );
  for (const key of ["a", "b", "b", "b"]) queue.add(key);
  gate.resolve(DONE);
  await advance(20);
  expect(handled).toEqual(["a", "b"]);
});

it("never handles a key concurrently, and handles it again if it was added meanwhile", async () => {
  let running = 0;
  let most = 0;
  let runs = 0;
  const { queue } = queueOf(async () => {
    running += 1;
    runs += 1;
    most = Math.max(most, running);
    await sleep(10);
    running -= 1;
    return DONE;
  });
  queue.add("a");
  await advance(2);
  queue.add("a");
  queue.forget("a");
  queue.add("a");
  await advance(60);
  expect([most, runs]).toEqual([1, 2]);
});

it("waits longer after each failure, up to the limit, regardless of events", async () => {
  let runs = 0;
  const { queue, retries } = queueOf(() => {
    runs += 1;
    return Promise.reject(new Error("no"));
  });
  queue.add("a");
  await advance(5);
  for (let i = 0; i < 10; i += 1) queue.add("a");
  expect(runs).toBe(1);
  await advance(250);
  expect(retries.slice(0, 4)).toEqual([20, 40, 60, 60]);
});

it("retries at once when the reason of the failure may be gone", async () => {
  let fail = true;
  let runs = 0;
  const { queue } = queueOf(
    () => {
      runs += 1;
      return fail ? Promise.reject(new Error("no")) : Promise.resolve(DONE);
    },
    { backoff: { firstMs: 60_000, maxMs: 60_000 } },
  );
  queue.add("a");
  await advance(5);
  fail = false;
  queue.retryAll();
  await advance(5);
  expect(runs).toBe(2);
});

it("drains: waits for running handlers and starts no more", async () => {
  const done: string[] = [];
  const { queue } = queueOf(
    async (key) => {
      await sleep(30);
      done.push(key);
      return { requeueAfter: 0 };
    },
    { workers: 1 },
  );
  queue.add("a");
  queue.add("b");
  await advance(5);
  const drained = queue.drain();
  await advance(30);
  await drained;
  queue.add("c");
  await advance(50);
  expect(done).toEqual(["a"]);
});

it("does not handle a key concurrently if it was forgotten while it waited for a worker", async () => {
  const log: string[] = [];
  const gate = Promise.withResolvers<Result>();
  const { queue } = queueOf(
    async (key) => {
      log.push(`${key} begins`);
      if (key === "blocker") await gate.promise;
      else await sleep(10);
      log.push(`${key} ends`);
      return DONE;
    },
    { workers: 2 },
  );
  queue.add("blocker");
  queue.add("other");
  queue.add("a");
  queue.forget("a");
  queue.add("a");
  gate.resolve(DONE);
  await advance(60);
  expect(log.filter((line) => line.startsWith("a "))).toEqual(["a begins", "a ends"]);
});

it("handles a key after the time that its handler returned, or after the earliest delay", async () => {
  const started = performance.now();
  const runs: number[] = [];
  const { queue } = queueOf(() => {
    runs.push(performance.now() - started);
    return Promise.resolve(runs.length === 1 ? { requeueAfter: 30 } : DONE);
  });
  queue.addAfter("a", 10_000);
  queue.addAfter("a", 20);
  await advance(120);
  expect(runs).toEqual([20, 50]);
});

it("forgets earlier failures once a key succeeds, also if it asks to be handled again later", async () => {
  const outcomes: ("fail" | "succeed")[] = ["fail", "succeed", "fail", "succeed"];
  const { queue, retries } = queueOf(() => {
    if (outcomes.shift() === "fail") return Promise.reject(new Error("unavailable"));
    return Promise.resolve({ requeueAfter: 100 });
  });
  queue.add("a");
  await advance(300);
  expect(retries).toEqual([20, 20]);
});

it("handles a lane while the workers of another are busy, and says what waits", async () => {
  const gate = Promise.withResolvers<Result>();
  const handled: string[] = [];
  const { queue } = queueOf(
    (key) => {
      handled.push(key);
      return key.startsWith("slow") ? gate.promise : Promise.resolve(DONE);
    },
    {
      lanes: {
        of: (key) => key.split("-")[0] ?? "",
        limits: { slow: { workers: 2, ofGroup: 2 }, quick: { workers: 1, ofGroup: 1 } },
      },
    },
  );
  for (const key of ["slow-1", "slow-2", "slow-3", "slow-4"]) queue.add(key);
  await advance(30);
  queue.add("quick-1");
  await advance(0);
  expect(handled).toEqual(["slow-1", "slow-2", "quick-1"]);
  expect(queue.states()).toMatchObject({ slow: { waiting: 2, underway: 2 }, quick: { waiting: 0, underway: 0 } });
  queue.addFirst("slow-4");
  gate.resolve(DONE);
  await advance(20);
  expect(handled).toEqual(["slow-1", "slow-2", "quick-1", "slow-4", "slow-3"]);
  expect(queue.states()["slow"]).toEqual({ waiting: 0, underway: 0, longestMs: 0 });
});
