import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { formatTime, HOUR_SECONDS } from "../../../../src/model/time.ts";
import { context, create, NOW, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const at = (hours: number): string => formatTime(NOW + hours * HOUR_SECONDS);
const SPEC = {
  ...{ cpu: 2, memory: 4, duration: "10h", deadline: at(96), provider: "gcp", schedulingLocation: "europe-west3" },
  ...{ interruptible: {}, whenDone: "delete" },
};

function warningsOf(spec: Record<string, unknown>): string[] {
  const outcome = admit(create(vm({ ...SPEC, ...spec })), context(policy));
  if (!outcome.allowed) throw new TypeError(outcome.message);
  return outcome.warnings.filter((text) => text.includes("INTERRUPTIBLE"));
}

describe("spec.interruptible that can never pause the run", () => {
  it.each<[string, Record<string, unknown>, string]>([
    [
      "because the start is fixed",
      { schedulingTime: at(5) },
      "schedulingTime fixes the start; write no schedulingTime, or omit interruptible",
    ],
    [
      "because carbon does not count",
      { optimizeFor: "cost" },
      "a pause saves only CO2e, which optimizeFor cost does not count; write optimizeFor: carbon or balanced, or omit interruptible",
    ],
    [
      "because its parts would be too short",
      { interruptible: { minRun: "6h" } },
      "two parts of at least minRun 6h are longer than duration 10h; write minRun: 5h or less, or omit interruptible",
    ],
    [
      "because its limit is too short",
      { maxLifetime: "10h", interruptible: { resumeCost: "30m" } },
      "maxLifetime 10h leaves no time for a pause: duration, a resume and the reserve take 11h15m; write a longer maxLifetime, or omit interruptible",
    ],
    [
      "because its deadline is too close",
      { deadline: at(10.5) },
      "the deadline leaves no time for a pause: duration, a resume and the reserve take 10h35m; write a later deadline, or omit interruptible",
    ],
  ])("is told %s", (_what, spec, text) => {
    expect(warningsOf(spec)).toEqual([`spec.interruptible has no effect: ${text} [ADM_INTERRUPTIBLE_UNUSED]`]);
  });

  it.each<[string, Record<string, unknown>]>([
    ["as shipped", {}],
    ["that counts carbon in part", { optimizeFor: "balanced" }],
    ["with parts of half its duration", { interruptible: { minRun: "5h" } }],
    ["with a limit that leaves time", { maxLifetime: "12h" }],
    ["without interruptible", { interruptible: undefined, optimizeFor: "cost" }],
  ])("says nothing of a run %s", (_what, spec) => {
    expect(warningsOf(spec)).toEqual([]);
  });
});
