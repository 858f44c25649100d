import { describe, expect, it } from "vitest";
import { nextRunStep, type RunSign } from "../../../../src/composition/run/state/next-run-step.ts";
import { stepOfChanged } from "../../../../src/composition/run/state/step-of-changed.ts";
import { planOf } from "../../../../src/composition/run/state/run-plan.ts";
import type { RunEnd, RunPlan, RunRecord, RunState } from "../../../../src/model/runs/run-record.ts";

const START = 1_000_000;
const GRACE = 900;
const HOUR = 3600;
const plan = (spec: Record<string, unknown>): RunPlan => planOf(spec, GRACE);
const state = (given: Partial<RunState> = {}): RunState => ({ startedAt: START, end: null, removedAt: null, ...given });
const at = (
  spec: Record<string, unknown>,
  seconds: number,
  given: Partial<RunState> = {},
  sign: RunSign | null = null,
) => nextRunStep(plan(spec), state(given), sign, START + seconds);

const DELETE = { duration: "3h", whenDone: "delete" };
const over: RunEnd = { at: START + 3 * HOUR, by: "time", outcome: "unknown" };

describe("a run that is deleted when it is done", () => {
  it("runs until its duration is over, and says when it ends and is deleted", () => {
    expect(at(DELETE, 3 * HOUR - 1)).toEqual({
      ...{ found: null, do: "run", overdueSince: null },
      ...{ endsAt: START + 3 * HOUR, deletesAt: START + 3 * HOUR + GRACE, lookAt: START + 3 * HOUR },
    });
  });

  it("is over at its duration, and is there until the grace has passed", () => {
    expect(at(DELETE, 3 * HOUR)).toMatchObject({ found: over, do: "rest", lookAt: START + 3 * HOUR + GRACE });
    expect(at(DELETE, 3 * HOUR + GRACE - 1, { end: over })).toMatchObject({ found: null, do: "rest" });
    expect(at(DELETE, 3 * HOUR + GRACE, { end: over })).toMatchObject({ do: "remove", lookAt: null });
  });

  it("has ended at its duration also if nobody looked until much later", () => {
    expect(at(DELETE, 30 * HOUR)).toMatchObject({ found: over, do: "remove" });
  });

  it("continues a deletion that has begun, also if the clock was set back since", () => {
    const deleting = { end: over, deletingSince: START + 9 * HOUR };
    expect(at(DELETE, 5 * HOUR, deleting)).toMatchObject({ do: "remove", deletesAt: START + 5 * HOUR });
    expect(at(DELETE, 10 * HOUR, deleting)).toMatchObject({ do: "remove", deletesAt: START + 9 * HOUR });
  });

  it("does nothing once its resources are gone", () => {
    const gone = { end: over, removedAt: START + 4 * HOUR };
    expect(at(DELETE, 400 * HOUR, gone)).toMatchObject({
      do: "rest",
      lookAt: null,
      deletesAt: null,
      overdueSince: null,
    });
  });

  it("is over when its completion is reported, and keeps the first end", () => {
    const sign: RunSign = { by: "annotation", outcome: "succeeded" };
    const found = { at: START + HOUR, by: "annotation", outcome: "succeeded" } as const;
    expect(at(DELETE, HOUR, {}, sign)).toMatchObject({ found, deletesAt: START + HOUR + GRACE, endsAt: START + HOUR });
    const again = at(DELETE, HOUR + 5, { end: found }, { by: "provider", outcome: "failed" });
    expect(again).toMatchObject({ found: null, endsAt: START + HOUR });
  });

  it("has the outcome that was reported, also if its time is over before a controller looks, but not of a machine that ended then", () => {
    for (const sign of [
      { by: "annotation", outcome: "failed" },
      { by: "machine", outcome: "succeeded" },
    ] as const)
      expect(at(DELETE, 4 * HOUR, {}, sign).found).toEqual({ ...sign, at: over.at });
    expect(at(DELETE, 4 * HOUR, {}, { by: "provider", outcome: "unknown" }).found).toEqual(over);
  });

  it("is kept for a look if it failed, for as long as keepFailed says and no shorter than the grace", () => {
    const failed: RunEnd = { at: START + HOUR, by: "machine", outcome: "failed" };
    expect(at({ ...DELETE, keepFailed: "24h" }, 2 * HOUR, { end: failed }).deletesAt).toBe(START + 25 * HOUR);
    expect(at({ ...DELETE, keepFailed: "1m" }, 2 * HOUR, { end: failed }).deletesAt).toBe(START + HOUR + GRACE);
    const succeeded = { ...failed, outcome: "succeeded" } as const;
    expect(at({ ...DELETE, keepFailed: "24h" }, HOUR, { end: succeeded }).deletesAt).toBe(START + HOUR + GRACE);
  });
});

describe("the hard limit", () => {
  it("ends a run without a grace, counted from the start", () => {
    const spec = { ...DELETE, maxLifetime: "3h5m" };
    expect(at(spec, 0).deletesAt).toBe(START + 3 * HOUR + 300);
    expect(at(spec, 3 * HOUR + 300, { end: over }).do).toBe("remove");
  });

  it("ends also a failed run that is kept for a look", () => {
    const failed: RunEnd = { at: START + HOUR, by: "machine", outcome: "failed" };
    expect(at({ ...DELETE, keepFailed: "24h", maxLifetime: "4h" }, HOUR, { end: failed }).deletesAt).toBe(
      START + 4 * HOUR,
    );
  });

  it("ends also what is to be kept, and what has no duration", () => {
    for (const spec of [{ maxLifetime: "2h" }, { duration: "1h", maxLifetime: "2h", whenDone: "keep" }]) {
      expect(at(spec, 2 * HOUR - 1)).toMatchObject({ do: "run", found: null, deletesAt: START + 2 * HOUR });
      const found = { at: START + 2 * HOUR, by: "limit", outcome: "unknown" };
      expect(at(spec, 2 * HOUR)).toMatchObject({ do: "remove", found });
    }
  });

  it("stops what is to be stopped", () => {
    expect(at({ maxLifetime: "2h", whenDone: "stop" }, 2 * HOUR)).toMatchObject({ do: "stop", deletesAt: null });
  });
});

describe("a run that is kept", () => {
  it("is overdue from the end of its duration on, and goes on", () => {
    expect(at({ duration: "3h" }, 3 * HOUR - 1).overdueSince).toBeNull();
    expect(at({ duration: "3h" }, 5 * HOUR)).toMatchObject({
      ...{ do: "run", found: null, overdueSince: START + 3 * HOUR, deletesAt: null, lookAt: null },
    });
  });

  it("is overdue from its reported end on", () => {
    const end: RunEnd = { at: START + HOUR, by: "provider", outcome: "unknown" };
    expect(at({ duration: "3h" }, 2 * HOUR, { end })).toMatchObject({ do: "rest", overdueSince: START + HOUR });
  });

  it("is kept whatever else is said if its resources are to be retained", () => {
    const spec = { ...DELETE, maxLifetime: "4h", deletionPolicy: "retain" };
    expect(at(spec, 9 * HOUR, { end: over })).toMatchObject({ do: "rest", deletesAt: null, overdueSince: over.at });
  });
});

describe("a run that is stopped", () => {
  it("is stopped at its end, without a grace, and never deleted", () => {
    const spec = { duration: "3h", whenDone: "stop" };
    expect(at(spec, 3 * HOUR)).toMatchObject({ found: over, do: "stop", deletesAt: null, overdueSince: null });
    expect(at(spec, 300 * HOUR, { end: over })).toMatchObject({ do: "stop", lookAt: null });
  });
});

describe("a run that is stopped, whose resources are to be retained", () => {
  it.each([
    ["its duration", { duration: "3h" }, 3],
    ["its limit", { duration: "3h", maxLifetime: "4h" }, 4],
    ["its limit, without a duration", { maxLifetime: "4h" }, 4],
  ])("is stopped after %s, and is not overdue", (_what, given, hours) => {
    const spec = { ...given, whenDone: "stop", deletionPolicy: "retain" };
    expect(at(spec, hours * HOUR)).toMatchObject({ do: "stop", deletesAt: null, overdueSince: null });
  });
});

describe("a plan that changes", () => {
  const record = (spec: Record<string, unknown>): RunRecord => ({
    ...{ uid: "u", kind: "VmTemplate", namespace: "demo", name: "n", run: "", plan: plan(spec), ...state() },
    ...{ wasReady: true, machine: null, reported: null, pricePerHour: 1, gramsCO2: 1 },
  });
  const change = (from: Record<string, unknown>, to: Record<string, unknown>, seconds: number) =>
    stepOfChanged(plan(to), record(from), null, START + seconds).step;

  it.each([
    ["a shorter duration", DELETE, { ...DELETE, duration: "1h" }],
    ["keep becomes delete", { duration: "1h" }, { ...DELETE, duration: "1h" }],
    ["keep becomes delete, after its duration", { duration: "2h" }, { ...DELETE, duration: "2h" }],
  ])("ends a run now, and with its whole grace: %s", (_what, from, to) => {
    const now = 2.5 * HOUR;
    expect(change(from, to, now)).toMatchObject({
      ...{ found: { at: START + now, by: "time" }, do: "rest", endsAt: START + now, deletesAt: START + now + GRACE },
    });
  });

  it("ends it when it was over by its earlier plan, which nobody looked at", () => {
    expect(change(DELETE, { ...DELETE, duration: "1h" }, 4 * HOUR).found).toEqual(over);
    expect(change(DELETE, DELETE, 4 * HOUR).found).toEqual(over);
  });

  it("ends it at its deadline if its earlier plan went over that", () => {
    const [from, to] = [START + HOUR, START + 2 * HOUR];
    const paused = (until: number): RunPlan => ({
      ...{ ...plan(DELETE), pauses: [{ from, to: until }] },
      deadline: START + 3.5 * HOUR,
    });
    const given = { ...record({}), plan: paused(to) };
    const { step } = stepOfChanged(paused(to - 2400), given, null, START + 5 * HOUR);
    expect(step.found?.at).toBe(START + 3.5 * HOUR);
  });
});

describe("a service", () => {
  it("never ends by itself", () => {
    expect(at({}, 1e8)).toEqual({
      ...{ found: null, do: "run", endsAt: null, deletesAt: null, overdueSince: null, lookAt: null },
    });
  });
});
