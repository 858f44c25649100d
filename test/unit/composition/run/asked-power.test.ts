// Stops that a pause asked for and that come late, and pauses that were not carried out.
import { describe, expect, it } from "vitest";
import { runAccount } from "../../../../src/composition/run/state/run-account.ts";
import type { RunRecord } from "../../../../src/model/runs/run-record.ts";
import { formatTime } from "../../../../src/model/time.ts";
import { type Faults, RandomRun } from "../../../support/composition/random-run.ts";
import { decisionOf, HOUR, START } from "../../../support/composition/run-with-machine.ts";

const SPEC = { provider: "gcp", whenDone: "delete", interruptible: { minRun: "10m", resumeCost: "10m" } };

/** A run with these parts and faults, after so many hours. */
async function lived(
  { spec, parts, faults }: { spec: Record<string, unknown>; parts: [number, number][]; faults: Partial<Faults> },
  hours: number,
  change: (seconds: number, run: RandomRun) => void = () => undefined,
): Promise<{ run: RandomRun; record: RunRecord; hours: number }> {
  const run = new RandomRun({ spec: { ...SPEC, ...spec }, annotations: decisionOf(parts) }, faults);
  await run.livesUntil(hours * HOUR, (seconds) => {
    change(seconds, run);
  });
  const record = run.record as RunRecord;
  return { run, record, hours: runAccount(record, record.end?.at ?? START + hours * HOUR).hours };
}

describe("a stop that a pause asked for", () => {
  const spec = { duration: "4h" };
  const parts: [number, number][] = [
    [0, 2],
    [4, 6 + 1 / 6],
  ];

  it.each([30, 60, 120, 600])("is no end of the run if its user pauses the object %i s later", async (seconds) => {
    const holds = [[2 * HOUR + seconds, 3.5 * HOUR]] as const;
    const { record, run, hours } = await lived({ spec, parts, faults: { holds } }, 7);
    expect(record.end).toMatchObject({ by: "time", outcome: "unknown" });
    expect(record.end?.at).toBeGreaterThan(START + 5.9 * HOUR);
    expect(hours).toBeCloseTo(run.hoursOn(0, 7 * HOUR), 0);
  });

  it.each([3.97, 3.99, 4.01])("and that its operator carries out at its end is none either: %d h", async (until) => {
    const silences = [[1.99 * HOUR, until * HOUR]] as const;
    const { record } = await lived({ spec, parts, faults: { silences } }, 7);
    expect(record.end).toMatchObject({ by: "time", outcome: "unknown" });
  });

  it("is taken back for a machine that comes in the pause, after it was refused", async () => {
    const shortages = [[0, 2.5 * HOUR]] as const;
    const { record, hours } = await lived({ spec, parts, faults: { shortages } }, 12);
    expect(record.end).toMatchObject({ by: "time", outcome: "unknown" });
    expect(hours).toBeGreaterThan(3.9);
  });
});

describe("a pause that was missed", () => {
  const spec = { duration: "4h" };
  const parts: [number, number][] = [
    [0, 1],
    [5, 7],
    [20, 21 + 1 / 3],
  ];
  const faults = { outages: [[0.9 * HOUR, 5.1 * HOUR]] as const };

  it("leaves no later one in the plan once the work is done", async () => {
    const { record, hours } = await lived({ spec, parts, faults }, 8);
    expect(record.end).toMatchObject({ by: "time", outcome: "unknown" });
    expect(record.end?.at).toBeLessThan(START + 5.3 * HOUR);
    expect(hours).toBeCloseTo(5.1, 0);
  });

  it("of a run that is kept starts its machine for none of them", async () => {
    const { run, record } = await lived({ spec: { ...spec, whenDone: "keep" }, parts, faults }, 22);
    expect(record.end).toBeNull();
    expect(run.on).toHaveLength(1);
  });
});

describe("work that does not fit before a deadline", () => {
  const spec = { duration: "4h", capacityType: "spot", interruptible: undefined };
  const extend = (seconds: number, run: RandomRun): void => {
    if (seconds !== 3 * HOUR) return;
    run.object = { ...run.object, spec: { ...run.object.spec, deadline: formatTime(START + 12 * HOUR) } };
  };

  it("is lost, and fits again after a later deadline", async () => {
    const faults = { shortages: [[0, 2 * HOUR]] as const };
    const given = {
      spec: { ...spec, deadline: formatTime(START + 5 * HOUR) },
      parts: [[0, 4]] as [number, number][],
      faults,
    };
    const short = await lived(given, 8);
    expect(short.record).toMatchObject({ end: { by: "time", at: START + 5 * HOUR, outcome: "failed" } });
    expect(short.run.events.filter((one) => one.startsWith("WorkLost"))).toHaveLength(1);
    const long = await lived(given, 8, extend);
    expect(long.record.end).toMatchObject({ by: "time", outcome: "unknown" });
    expect(long.record).not.toHaveProperty("lostSeconds");
    expect(long.hours).toBeCloseTo(4, 1);
  });
});

describe("a release that cannot be upgraded", () => {
  const spec = { duration: "4h", deadline: formatTime(START + 8 * HOUR) };
  const parts: [number, number][] = [
    [0, 2],
    [4, 6 + 1 / 6],
  ];

  it("just after its machine was started again loses none of its work", async () => {
    const faults = { failures: [[4 * HOUR + 60, 7 * HOUR]] as const };
    const { record, hours } = await lived({ spec, parts, faults }, 9);
    expect(record.end).toMatchObject({ by: "time", outcome: "unknown" });
    expect(hours).toBeCloseTo(4.2, 0);
  });

  it("so that a machine that is off is not started for another run has a run without a machine", async () => {
    const again = (seconds: number, run: RandomRun): void => {
      if (seconds === 4 * HOUR) run.annotate({ "landfall.dev/run": "2" });
    };
    const given = {
      spec: { duration: "2h", whenDone: "stop", interruptible: undefined },
      parts: [[0, 2]] as [number, number][],
    };
    const { record, hours } = await lived(
      { ...given, faults: { failures: [[3.9 * HOUR, 7 * HOUR]] as const } },
      7,
      again,
    );
    expect(record).toMatchObject({ run: "2", end: { by: "time", outcome: "failed" } });
    expect(hours).toBeLessThan(0.1);
  });
});

describe("a machine that was stopped before a controller saw it on", () => {
  const outages = [[30, 0.5 * HOUR]] as const;
  const spec = { duration: "2h", interruptible: undefined };

  it("was evicted, if it is a spot machine, and starts again", async () => {
    const given = { ...spec, capacityType: "spot", deadline: formatTime(START + 5 * HOUR) };
    const faults = { outages, evictions: [0.3 * HOUR] };
    const { record, run } = await lived({ spec: given, parts: [[0, 2]], faults }, 4);
    expect(run.events.join()).toContain("Evicted");
    expect(record).toMatchObject({ evictions: { count: 1 }, end: { by: "time", outcome: "unknown" } });
  });
});
