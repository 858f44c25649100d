import { pino } from "pino";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { apiPath } from "../../../../../src/cluster/api-path.ts";
import type { Composition } from "../../../../../src/composition/context/composition-context.ts";
import { repeat } from "../../../../../src/composition/repeat.ts";
import { endDue } from "../../../../../src/composition/run/end/end-due.ts";
import { planOf } from "../../../../../src/composition/run/state/run-plan.ts";
import type { RunRecord } from "../../../../../src/model/runs/run-record.ts";

const log = pino({ level: "silent" });
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const record = (uid: string): RunRecord => ({
  ...{ uid, kind: "VmTemplate", namespace: "demo", name: uid, run: "", startedAt: 1000, end: null, removedAt: null },
  ...{ plan: planOf({ duration: "1m", whenDone: "delete" }, 10), wasReady: true, machine: null, reported: null },
  ...{ pricePerHour: null, gramsCO2: null },
});
const composition = (uid: string): Composition => ({
  ...{ key: uid, path: apiPath`/apis/x/v1/namespaces/demo/vmtemplates/${uid}` },
  object: { apiVersion: "x/v1", kind: "VmTemplate", metadata: { uid } },
});

it("45: a record of a run that cannot be followed ends neither the controller nor the ends of other runs", async () => {
  const broken = { ...record("broken"), plan: null } as unknown as RunRecord;
  const runs = [broken, record("due")];
  const reconcileNow = vi.fn<(key: string) => void>();
  const list = (): Composition[] => runs.map(({ uid }) => composition(uid));
  const stop = endDue({
    context: { runs: { list: () => runs }, serverSeconds: () => 1065 },
    list,
    isCurrent: () => true,
    reconcileNow,
    log,
  });
  await vi.advanceTimersByTimeAsync(1000);
  expect(reconcileNow.mock.calls.flat()).toEqual(["broken", "due"]);
  await stop();
});

it("45: work at intervals that throws at once is logged and done again", async () => {
  const warn = vi.spyOn(log, "warn");
  let calls = 0;
  const throws = (): void => {
    calls += 1;
    throw new TypeError("broken");
  };
  const stop = repeat(throws, { everyMs: 1000, log, failure: "it failed" });
  await vi.advanceTimersByTimeAsync(2000);
  await stop();
  expect(calls).toBe(2);
  expect(warn).toHaveBeenCalledWith({ error: "broken" }, "it failed");
});
