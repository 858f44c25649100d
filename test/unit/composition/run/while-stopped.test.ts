import { describe, expect, it } from "vitest";
import { isSettled, whileStopped } from "../../../../src/composition/run/follow/run-status.ts";
import { nextRunStep } from "../../../../src/composition/run/state/next-run-step.ts";
import { planOf } from "../../../../src/composition/run/state/run-plan.ts";
import type { ConditionInput } from "../../../../src/composition/types.ts";
import type { RunRecord } from "../../../../src/model/runs/run-record.ts";
import { HOUR_SECONDS } from "../../../../src/model/time.ts";

const START = 1_795_212_000;
const AVAILABLE: ConditionInput = {
  type: "Ready",
  status: "True",
  reason: "Available",
  message: "3 resources are ready",
};
const FAILED: ConditionInput = { type: "Ready", status: "False", reason: "ProviderError", message: "no quota" };

/** The condition of a run of an hour that ends so, some hours after its start. */
function readyOf(whenDone: string, hours: number, given = AVAILABLE, end: RunRecord["end"] = null): ConditionInput {
  const plan = planOf({ duration: "1h", whenDone }, 900);
  const record = {
    plan,
    startedAt: START,
    end,
    removedAt: null,
    run: "",
    pricePerHour: 0.1,
    gramsCO2: null,
  } as unknown as RunRecord;
  return whileStopped(given, { record, step: nextRunStep(plan, record, null, START + hours * HOUR_SECONDS) });
}

describe("the condition Ready of a run whose machine is stopped at its end", () => {
  it("is False with the reason Completed, and stays as it is before", () => {
    expect(readyOf("stop", 0.5)).toBe(AVAILABLE);
    const over = readyOf("stop", 2);
    expect(over).toMatchObject({ type: "Ready", status: "False", reason: "Completed" });
    expect(over.message).toContain("its machine is stopped: 1.00 h, 0.10 USD");
    expect(isSettled(over)).toBe(true);
  });

  it("has the reason Failed after a failure", () => {
    const end = { at: START + 60, by: "machine", outcome: "failed" } as const;
    expect(readyOf("stop", 2, AVAILABLE, end)).toMatchObject({ status: "False", reason: "Failed" });
  });

  it("still reports what the provider refuses", () => {
    expect(readyOf("stop", 2, FAILED)).toBe(FAILED);
  });

  it("is that of its machine if that runs on, and says that it is overdue", () => {
    expect(readyOf("keep", 0.5)).toBe(AVAILABLE);
    expect(readyOf("keep", 2)).toMatchObject({
      ...{ status: "True", reason: "Overdue" },
      message: "3 resources are ready; its run is over since 2026-11-20T23:00:00Z",
    });
    expect(isSettled(readyOf("keep", 2))).toBe(true);
    expect(readyOf("keep", 2, { ...FAILED, reason: "Creating" })).toMatchObject({ reason: "Creating" });
    expect(whileStopped(AVAILABLE, null)).toBe(AVAILABLE);
  });
});
