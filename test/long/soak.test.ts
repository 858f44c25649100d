import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { reviewOf, vm } from "../support/admission.ts";
import { type Bench, numbered, openBench } from "../support/bundles/watched-bundle.ts";
import { childrenOf } from "../support/faults/kubelet.ts";

/** Minutes of load; a leak of 1 kB per decision is 1 GB in an hour. */
const MINUTES = Number(process.env["LANDFALL_SOAK_MINUTES"] ?? "30");
/** Decisions in a second. */
const RATE = Number(process.env["LANDFALL_SOAK_RATE"] ?? "200");
const DECISIONS_PER_RELOAD = 200;
/** Decisions that are asked for at the same moment. */
const BURST = 20;
const KIBIBYTES = 1024;
/** Of the memory in the second quarter of the time. */
const MOST_GROWTH = 1.05;
/** Timers, sockets and open files that come and go: of a bundle that is being loaded, and of one that ends. */
const MOST_MORE = 4;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.stop());

const reviews = ["azure", "aws", "gcp", "elemento"].map((provider) => reviewOf(vm({ cpu: 2, memory: 4, provider })));

/** What a leak takes, of this process and, for memory, of those that decide. */
interface Held {
  mebibytes: number;
  timers: number;
  sockets: number;
  files: number;
}

function residentKibibytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
    return Number(/^VmRSS:\s{1,20}(\d{1,20}) kB$/m.exec(status)?.[1] ?? 0);
  } catch {
    // It has ended.
    return 0;
  }
}

/** Measured after a collection has freed what can be freed. */
function measure(): Held {
  globalThis.gc?.();
  const active = process.getActiveResourcesInfo();
  const count = (kind: RegExp): number => active.filter((one) => kind.test(one)).length;
  const sizes = [process.pid, ...childrenOf("self")].map(residentKibibytes);
  return {
    mebibytes: sizes.reduce((sum, size) => sum + size, 0) / KIBIBYTES,
    timers: count(/^(Timeout|Immediate)$/),
    sockets: count(/TCP|Pipe|TLS/),
    files: readdirSync("/proc/self/fd").length,
  };
}

/** Asks for the decisions of one round, evenly in time. */
async function askSteadily<T>(ask: (index: number) => Promise<T>): Promise<T[]> {
  const began = performance.now();
  const answers: Promise<T>[] = [];
  while (answers.length < DECISIONS_PER_RELOAD) {
    for (let one = 0; one < BURST; one += 1) answers.push(ask(answers.length));
    await sleep(Math.max(0, began + (answers.length / RATE) * 1000 - performance.now()));
  }
  return Promise.all(answers);
}

/** The greatest of each in these measurements. */
function greatest(all: readonly Held[]): Held {
  const most = (value: (held: Held) => number): number => Math.max(...all.map(value));
  return {
    mebibytes: most(({ mebibytes }) => mebibytes),
    timers: most(({ timers }) => timers),
    sockets: most(({ sockets }) => sockets),
    files: most(({ files }) => files),
  };
}

it(`decides ${String(RATE)} times a second for ${String(MINUTES)} minutes while bundles are replaced, without an error and without growing`, async () => {
  const bundles = await Promise.all([1, 2, 3].map(numbered));
  const push = (round: number): Promise<string> => bench.push(bundles[round % bundles.length] ?? Buffer.alloc(0));
  await push(0);
  const { watch } = await bench.watch();
  await watch.poll();
  const began = performance.now();
  const end = began + MINUTES * 60_000;
  const held: Held[] = [];
  let decisions = 0;
  for (let round = 1; performance.now() < end; round += 1) {
    const digest = await push(round);
    // As the webhook does: the bundle of the moment decides.
    const asked = askSteadily(async (index) => {
      const decider = await watch.decider();
      if (decider === null) expect.fail("there is no bundle");
      return decider.ask("/mutate", reviews[index % reviews.length] ?? "");
    });
    // The bundle is replaced while they are under way.
    const [answers] = await Promise.all([asked, watch.poll()]);
    expect(answers.filter(({ status, body }) => status !== 200 || !body.includes('"allowed":true'))).toEqual([]);
    expect(watch.status()).toMatchObject({ active: { digest }, quarantined: [], lastError: null });
    decisions += answers.length;
    held.push(measure());
  }
  const seconds = (performance.now() - began) / 1000;
  // Until the caches and the allocator's pools are full it may grow.
  const quarter = Math.ceil(held.length / 4);
  const [early, late] = [greatest(held.slice(quarter, 2 * quarter)), greatest(held.slice(-quarter))];
  console.log(
    `${String(decisions)} decisions, ${(decisions / seconds).toFixed(0)} a second, ${String(held.length)} reloads; in the second quarter at most ${JSON.stringify(early)}, in the last ${JSON.stringify(late)}`,
  );
  expect(held.length).toBeGreaterThanOrEqual(4);
  expect(late.mebibytes).toBeLessThan(early.mebibytes * MOST_GROWTH);
  for (const what of ["timers", "sockets", "files"] as const)
    expect(late[what], what).toBeLessThanOrEqual(early[what] + MOST_MORE);
});
