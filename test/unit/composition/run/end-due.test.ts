import { pino } from "pino";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { apiPath } from "../../../../src/cluster/api-path.ts";
import type { Composition } from "../../../../src/composition/context/composition-context.ts";
import { endDue } from "../../../../src/composition/run/end/end-due.ts";
import { planOf } from "../../../../src/composition/run/state/run-plan.ts";
import type { RunRecord } from "../../../../src/model/runs/run-record.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const record = (uid: string, given: Partial<RunRecord>): RunRecord => ({
  ...{ uid, kind: "VmTemplate", namespace: "demo", name: uid, run: "", startedAt: 1000, end: null, removedAt: null },
  ...{
    plan: planOf({ duration: "1m", whenDone: "delete" }, 10),
    wasReady: true,
    machine: null,
    reported: null,
    pricePerHour: null,
    gramsCO2: null,
  },
  ...given,
});
const composition = (uid: string): Composition => ({
  ...{ key: `vmtemplates/demo/${uid}`, path: apiPath`/apis/x/v1/namespaces/demo/vmtemplates/${uid}` },
  object: { apiVersion: "x/v1", kind: "VmTemplate", metadata: { uid } },
});

it("has runs reconciled whose end or deletion is due, again every few seconds, and no others", async () => {
  const over = { at: 1060, by: "time", outcome: "unknown" } as const;
  const runs = [
    record("due", {}),
    record("later", { startedAt: 5000 }),
    record("gone", { end: over, removedAt: 1080 }),
    record("kept", { plan: planOf({ duration: "1m" }, 10) }),
    record("to-delete", { end: over }),
  ];
  let now: number | null = null;
  const reconcileNow = vi.fn<(key: string) => void>();
  const list = (): Composition[] => runs.map(({ uid }) => composition(uid));
  const log = pino({ level: "silent" });
  const stop = endDue({
    context: { runs: { list: () => runs }, serverSeconds: () => now },
    list,
    isCurrent: () => true,
    reconcileNow,
    log,
  });
  await vi.advanceTimersByTimeAsync(3000);
  expect(reconcileNow).not.toHaveBeenCalled();
  now = 1065;
  await vi.advanceTimersByTimeAsync(3000);
  expect(reconcileNow.mock.calls.flat()).toEqual(["vmtemplates/demo/due"]);
  now = 1070;
  await vi.advanceTimersByTimeAsync(6000);
  const called = reconcileNow.mock.calls.flat();
  expect(new Set(called)).toEqual(new Set(["vmtemplates/demo/due", "vmtemplates/demo/to-delete"]));
  expect(called.filter((key) => key.endsWith("to-delete"))).toHaveLength(2);
  await stop();
});
