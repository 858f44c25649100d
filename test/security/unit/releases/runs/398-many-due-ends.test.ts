// N runs of one namespace whose end is due at the same time. The queue of urgent keys was searched for each key that was added, so
// that one look of endDue blocked the controller's only thread for N² steps, again every 5 s, and each key that was done cost N log N.
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { expect, it, vi } from "vitest";
import { apiPath } from "../../../../../src/cluster/api-path.ts";
import type { WorkQueue } from "../../../../../src/cluster/queue/work-queue.ts";
import type { Composition } from "../../../../../src/composition/context/composition-context.ts";
import { openQueue } from "../../../../../src/composition/controller/open-queue.ts";
import { endDue } from "../../../../../src/composition/run/end/end-due.ts";
import { planOf } from "../../../../../src/composition/run/state/run-plan.ts";
import type { RunRecord } from "../../../../../src/model/runs/run-record.ts";

const VICTIM = "vmtemplates/victim/v";
const log = pino({ level: "silent" });

const record = (namespace: string, uid: string, startedAt: number): RunRecord => ({
  ...{ uid, kind: "VmTemplate", namespace, name: uid, run: "", startedAt, end: null, removedAt: null },
  ...{ plan: planOf({ duration: "1m", whenDone: "delete" }, 10), wasReady: true, machine: null, reported: null },
  ...{ pricePerHour: null, gramsCO2: null },
});
const composition = ({ namespace, uid }: RunRecord): Composition => ({
  key: `vmtemplates/${namespace}/${uid}`,
  path: apiPath`/apis/x/v1/namespaces/demo/vmtemplates/${uid}`,
  object: { apiVersion: "x/v1", kind: "VmTemplate", metadata: { uid, namespace } },
});
const manyRuns = (count: number): RunRecord[] =>
  Array.from({ length: count }, (_, at) => record("evil", `e-${String(at)}`, 1000));

const urgentQueue = (work: (key: string) => Promise<void>): WorkQueue =>
  openQueue({
    ...{ lanes: { of: () => "status" as const }, peek: () => null, backoff: { firstMs: 1000, maxMs: 60_000 } },
    ...{ log, tracer: null, metrics: { reconciled: () => undefined } },
    async handle(key) {
      await work(key);
      return { requeueAfter: null };
    },
  });

const endsOf = (runs: RunRecord[], serverSeconds: () => number, queue: WorkQueue): (() => Promise<void>) => {
  const compositions = runs.map(composition);
  return endDue({
    context: { runs: { list: () => runs }, serverSeconds },
    ...{
      list: () => compositions,
      isCurrent: () => true,
      reconcileNow: (key) => queue.addFirst(key),
      log,
      everyMs: 10,
    },
  });
};

/** Processor time of this process, in microseconds, until `count` due ends of one namespace were each handled once. */
async function costOf(count: number): Promise<number> {
  const handled = new Set<string>();
  const queue = urgentQueue((key) => {
    handled.add(key);
    return Promise.resolve();
  });
  const before = process.cpuUsage();
  const stop = endsOf(manyRuns(count), () => 1060, queue);
  await vi.waitFor(() => expect(handled.size).toBe(count), { timeout: 120_000, interval: 5 });
  const { user, system } = process.cpuUsage(before);
  await stop();
  await queue.drain();
  return user + system;
}

it("398: ends of one namespace cost in proportion to their number, not to its square", async () => {
  const few: number[] = [];
  const many: number[] = [];
  for (let round = 0; round < 3; round++) {
    few.push(await costOf(4000));
    many.push(await costOf(32_000));
  }
  // Eight times as many: 8 in proportion, 64 with the square.
  expect(Math.min(...many) / Math.min(...few)).toBeLessThan(24);
}, 200_000);

it("398: many ends of one namespace do not hold up the end of another", async () => {
  const handled: string[] = [];
  let before = Infinity;
  let now = 1060;
  const queue = urgentQueue(async (key) => {
    // An end takes helm and the API server a moment.
    await sleep(20);
    handled.push(key);
  });
  const stop = endsOf([...manyRuns(2000), record("victim", "v", 1003)], () => now, {
    ...queue,
    addFirst(key) {
      if (key === VICTIM) before = Math.min(before, handled.length);
      queue.addFirst(key);
    },
  });
  await vi.waitFor(() => expect(handled.length).toBeGreaterThan(64), { timeout: 60_000, interval: 5 });
  expect(handled).not.toContain(VICTIM);
  now = 1064;
  await vi.waitFor(() => expect(handled).toContain(VICTIM), { timeout: 60_000, interval: 5 });
  await stop();
  await queue.drain();
  // At most what each of the 16 urgent workers had begun, and one more of each.
  expect(handled.indexOf(VICTIM) - before).toBeLessThanOrEqual(32);
}, 200_000);
