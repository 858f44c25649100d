// A machine that is stopped for a planned pause while no controller looks, or that is not stopped: what it worked counts, and nothing else.
import { describe, expect, it } from "vitest";
import { observed } from "../../../../src/composition/run/machine/observed.ts";
import { planOf } from "../../../../src/composition/run/state/run-plan.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import type { RunRecord } from "../../../../src/model/runs/run-record.ts";
import { formatTime } from "../../../../src/model/time.ts";
import { type Faults, RandomRun } from "../../../support/composition/random-run.ts";
import { decisionOf, HOUR, RunWithMachine, START } from "../../../support/composition/run-with-machine.ts";

/** The life of a run of four hours that is on for an hour, and paused until `until`, in hours. */
async function lived(until: number, faults: Partial<Faults>): Promise<{ run: RandomRun; endsAt: number }> {
  const deadline = formatTime(START + 20 * HOUR);
  const fields = { provider: "gcp", duration: "4h", whenDone: "delete", deadline, interruptible: { minRun: "10m" } };
  const parts: [number, number][] = [
    [0, 1],
    [until, until + 3 + 1 / 6],
  ];
  const run = new RandomRun({ spec: fields, annotations: decisionOf(parts) }, faults);
  await run.livesUntil(30 * HOUR, () => undefined);
  return { run, endsAt: ((run.record?.end?.at ?? Number.NaN) - START) / HOUR };
}

function accountOf(run: RandomRun): Record<string, unknown> {
  if (run.last === null) throw new TypeError("it was never looked at");
  const reasons = ["Completed", "Failed"].map((type) => run.last && run.condition(run.last, type)?.reason);
  return { ...run.status(run.last), reasons };
}

describe("a controller that is killed after it asked for a pause", () => {
  it.each([
    ["and comes back in the pause", [HOUR + 30, 6 * HOUR], 10.17],
    ["and comes back after 40 minutes", [HOUR + 30, HOUR + 2430], 10.17],
    ["and comes back after the pause", [HOUR + 30, 7.5 * HOUR], 10.54],
  ] as const)("%s counts no work from then on", async (_what, outage, end) => {
    const { run, endsAt } = await lived(7, { outages: [outage] });
    expect(endsAt).toBeCloseTo(end, 1);
    expect(accountOf(run)).toMatchObject({ outcome: "unknown", reasons: ["DurationOver", "NotFailed"] });
    expect(Number(accountOf(run)["hours"])).toBeCloseTo(4.1, 0);
    expect(run.hoursOn(0, 30 * HOUR)).toBeGreaterThan(4);
  });
});

describe("a pause that is carried out only after all the work was done", () => {
  it.each([
    ["its operator is silent", { silences: [[HOUR - 60, 6 * HOUR]] }],
    ["its release cannot be upgraded", { failures: [[HOUR - 60, 6 * HOUR]] }],
    ["its operator is silent for the whole pause", { silences: [[HOUR - 60, 11 * HOUR]] }],
  ] as const)("ends the run when it is done: %s", async (_what, faults) => {
    const { run, endsAt } = await lived(10, faults);
    expect(endsAt).toBe(4);
    expect(accountOf(run)).toMatchObject({ hours: "4.00", reasons: ["DurationOver", "NotFailed"] });
    expect(run.on).toHaveLength(1);
  });

  it.each([3.97, 3.99, 4.01])("and as its last minute ends is none that had no machine: %d h", async (until) => {
    const { run } = await lived(4, { silences: [[HOUR - 60, until * HOUR]] });
    expect(accountOf(run)).toMatchObject({ outcome: "unknown", reasons: ["DurationOver", "NotFailed"] });
  });

  it("continues for what is left if that was before", async () => {
    const { run, endsAt } = await lived(10, { silences: [[HOUR - 60, 3 * HOUR]] });
    expect(endsAt).toBeCloseTo(11.14, 1);
    expect(run.hoursOn(0, 30 * HOUR)).toBeGreaterThan(4);
  });
});

describe("a machine that was asked to stop and is off", () => {
  const pauses = [{ from: START + HOUR, to: START + 7 * HOUR }];
  const planFor = (duration: string) => ({ ...planOf({ duration, whenDone: "delete" }, 900), pauses, resume: 600 });
  const instance = (stateTransitionReason: string): Resource => ({
    ...{ apiVersion: "ec2.services.k8s.aws/v1alpha1", kind: "Instance", metadata: { name: "job", uid: "i" } },
    status: { instanceID: "i-1", state: { name: "stopped" }, stateTransitionReason },
  });
  const asked = { on: false, at: START + HOUR };
  const { record } = new RunWithMachine({ spec: {}, record: { plan: planFor("6h"), asked } });
  const look = { isHeld: false, isWatched: false, now: START + 5 * HOUR };
  const offAt = (reason: string, more: Partial<typeof look> = {}): number | undefined =>
    observed({ ...(record as RunRecord), bootSeconds: 60 }, [instance(reason)], { ...look, ...more }).meter?.at;

  it.each([
    ["is so since its provider says it", "User initiated (2027-01-15 09:30:00 GMT)", {}, 1.5],
    ["since it was asked, without a time", "User initiated", {}, 1 + 60 / HOUR],
    ["since it was asked, with a time before that", "Server (2027-01-15 08:30:00 GMT)", {}, 1],
    [
      "since it was asked, for a controller that looked on, too",
      "Server (2027-01-15 08:30:00 GMT)",
      { isWatched: true },
      1,
    ],
    ["since now for a controller that looked on", "", { isWatched: true }, 5],
  ])("%s", (_what, reason, more, hours) => {
    expect(offAt(reason, more)).toBe(START + hours * HOUR);
  });

  it("is in the account of its run only until its work was done", () => {
    const given = { ...(record as RunRecord), bootSeconds: 60, plan: planFor("4h") };
    const { meter } = observed(given, [instance("")], { ...look, isWatched: true });
    expect(meter).toMatchObject({ at: START + 4 * HOUR, hours: 4, on: false });
  });
});

describe("a machine of AWS that was off before anyone saw it", () => {
  const aws = (name: string, more: object = {}): Resource => ({
    ...{ apiVersion: "ec2.services.k8s.aws/v1alpha1", kind: "Instance", metadata: { name: "job", uid: "i" }, spec: {} },
    status: {
      ...{ instanceID: "i-1", state: { name }, launchTime: formatTime(START), ...more },
      conditions: [{ type: "Ready", status: "True" }],
    },
  });
  const stopped = { stateTransitionReason: "User initiated (2027-01-15 10:00:00 GMT)" };

  it.each<[string, string, object, { end: [string, number]; hours: number }]>([
    ["since its provider says it", "24h", stopped, { end: ["provider", 10], hours: 2 }],
    ["since its provider says it, although time ended the run", "4h", stopped, { end: ["time", 4], hours: 2 }],
    ["since it is seen, if its provider does not say it", "24h", {}, { end: ["provider", 10], hours: 10 }],
  ])("is paid for until it is off %s", async (_what, duration, more, { end: [by, at], hours }) => {
    const spec = { provider: "aws", duration, whenDone: "delete", keepFailed: "24h" };
    const run = new RunWithMachine({ spec });
    run.live = [aws("running")];
    await run.lookFrom(0.01, 1);
    run.live = [aws("stopped", more)];
    const over = await run.look(10);
    expect(over.record).toMatchObject({ end: { by, at: START + at * HOUR, outcome: "unknown" }, off: true });
    expect(Number(run.status(over)["hours"])).toBeCloseTo(hours, 2);
    expect(over.step.deletesAt).toBe(START + (at + 0.25) * HOUR);
  });
});
