import { describe, expect, it } from "vitest";
import { runAccount } from "../../../../src/composition/run/state/run-account.ts";
import type { RunRecord } from "../../../../src/model/runs/run-record.ts";

const START = 1_800_000_000;

/** A run at 0.5 USD an hour whose decision has 6 g. */
const recordOf = (duration: number | null): RunRecord =>
  ({
    ...{ startedAt: START, pricePerHour: 0.5, gramsCO2: 6 },
    plan: { duration, maxLifetime: 36_000, whenDone: "delete", keepFailed: null, grace: 0, retains: false },
  }) as unknown as RunRecord;

describe("the account of a run", () => {
  it("has the grams of the whole run as they were decided, or of its hours without a duration", () => {
    expect(runAccount(recordOf(7200), START + 7200)).toEqual({ hours: 2, usd: 1, grams: 6 });
    expect(runAccount(recordOf(null), START + 7200)).toEqual({ hours: 2, usd: 1, grams: 12 });
    expect(runAccount({ ...recordOf(null), gramsCO2: null }, START + 7200).grams).toBeNull();
  });
});
