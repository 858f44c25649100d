import { describe, expect, it } from "vitest";
import { untilNext } from "../../../../src/composition/run/end/end-run.ts";
import { nextRunStep } from "../../../../src/composition/run/state/next-run-step.ts";
import { paceOf, runTime, withUnlapsed } from "../../../../src/composition/run/state/run-time.ts";
import type { RunPlan, RunRecord } from "../../../../src/model/runs/run-record.ts";

const HOUR = 3600;
const START = 1_800_000_000;
const plan: RunPlan = {
  ...{ duration: 8 * HOUR, maxLifetime: null, whenDone: "delete", keepFailed: null, grace: 5, retains: false },
  ...{ pauses: [{ from: START + 4 * HOUR, to: START + 10 * HOUR }], resume: 600 },
};
const recordOf = (fields: Partial<RunRecord> = {}): RunRecord => ({
  ...{ uid: "u", kind: "VmTemplate", namespace: "demo", name: "job", run: "", plan, startedAt: START, end: null },
  ...{ removedAt: null, wasReady: true, machine: null, reported: null, pricePerHour: null, gramsCO2: null },
  ...{ bootSeconds: 60, ...fields },
});

describe("the time of a run", () => {
  it("is the API server's without a time lapse, whatever the run does", () => {
    for (const record of [recordOf(), recordOf({ evictions: { count: 1, waiting: false } })])
      expect([runTime(record, START + 500), paceOf(record)]).toEqual([START + 500, 1]);
  });

  it("passes faster with one, once the machine of a run that may pause was ready", () => {
    const { bootSeconds: _, ...booting } = recordOf();
    expect(runTime(booting, START + 500, 3600)).toBe(START + 500);
    expect(runTime(recordOf(), START + 60, 3600)).toBe(START + 60);
    expect(runTime(recordOf(), START + 64, 3600)).toBe(START + 60 + 4 * HOUR);
  });

  it("does not pass faster for a run that may not pause, nor while it waits for another spot machine", () => {
    const { pauses: _, ...whole } = plan;
    const evicted = { plan: whole, startedAt: START + 90, firstStartedAt: START };
    expect(runTime(recordOf({ plan: whole }), START + 500, 3600)).toBe(START + 500);
    const waiting = recordOf({ ...evicted, evictions: { count: 1, waiting: true } });
    expect(runTime(waiting, START + 500, 3600)).toBe(START + 500);
    const again = recordOf({ ...evicted, evictions: { count: 1, waiting: false } });
    expect(runTime(again, START + 92, 3600)).toBe(START + 90 + 2 * HOUR);
  });

  it("does not pass faster while a machine starts again after a pause", () => {
    const stopped = recordOf({ wasReady: false });
    // The pause ends ten hours after the start, ten seconds after the boot.
    expect(runTime(stopped, START + 68, 3600)).toBe(START + 60 + 8 * HOUR);
    const ready = START + 60 + 10 + 7;
    const time = runTime(stopped, ready, 3600);
    expect(time - (START + 10 * HOUR)).toBeGreaterThan(6);
    expect(time - (START + 10 * HOUR)).toBeLessThan(8);
    const again = withUnlapsed({ ...stopped, wasReady: true }, stopped, time, 3600);
    expect(runTime(again, ready, 3600)).toBeCloseTo(time, 3);
    expect(runTime(again, ready + 2, 3600)).toBeCloseTo(time + 2 * HOUR, 3);
    const [first] = plan.pauses ?? [];
    const pauses = [...(first === undefined ? [] : [first]), { from: START + 12 * HOUR, to: START + 20 * HOUR }];
    const pausedAgain = { ...again, plan: { ...plan, pauses }, wasReady: false };
    expect(runTime(pausedAgain, ready + 4, 3600)).toBeCloseTo(time + 4 * HOUR, 3);
    expect(withUnlapsed({ ...stopped, wasReady: true }, stopped, time)).not.toHaveProperty("unlapsed");
  });

  it("is looked at again when the pause begins by that time", () => {
    const record = recordOf();
    const now = runTime(record, START + 61, 3600);
    const step = nextRunStep(plan, record, null, now);
    expect(untilNext({ record, step, now, pace: paceOf(record, 3600) })).toBeCloseTo((4 * HOUR - HOUR - 60) / 3.6, 6);
    const paused = nextRunStep(plan, record, null, runTime(record, START + 65, 3600));
    expect(paused).toMatchObject({ do: "pause", pausedUntil: START + 10 * HOUR });
  });
});
