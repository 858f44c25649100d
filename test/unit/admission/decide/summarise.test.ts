import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { decideAlone } from "../../../../src/admission/decide/decide.ts";
import { summarise } from "../../../../src/admission/decide/decision-document.ts";
import type { Placement } from "../../../../src/model/decision.ts";
import { parseTime } from "../../../../src/model/time.ts";
import { context, create, NOW, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const PLACED: Placement = {
  ...{ provider: "gcp", region: "europe-north1", zone: null, instanceType: "e2-small", image: null, os: null },
  ...{ start: "2026-11-22T03:00:00Z", end: "2026-11-22T06:00:00Z", latencyMs: null, latencySource: null },
  ...{ pricePerHour: 0.28, gramsCO2: 2.4, baselineGramsCO2: 34, carbon: null, scheduler: "embedded" },
  now: { place: "gcp/europe-west9", gramsCO2: 3.1 },
};
const FIVE_HOURS_BEFORE = parseTime("2026-11-21T22:00:00Z") ?? 0;
const AT_START = parseTime(PLACED.start) ?? 0;
const { now: _now, ...AT_ONCE } = PLACED;

describe("the line that apply prints", () => {
  it.each([
    [
      "a later start beside an immediate one",
      PLACED,
      FIVE_HOURS_BEFORE,
      "starts 2026-11-22T03:00Z (in 5 h): 2.4 g; now in the best place 3.1 g; now at the origin 34 g; 0.84 USD; ends 06:00Z; gcp/europe-north1",
    ],
    [
      "an immediate start",
      AT_ONCE,
      AT_START,
      "starts 2026-11-22T03:00Z (now): 2.4 g; now at the origin 34 g; 0.84 USD; ends 06:00Z; gcp/europe-north1",
    ],
    [
      "figures per hour without a duration",
      { ...AT_ONCE, end: null, gramsCO2: 0.0514, baselineGramsCO2: 12.4 },
      AT_START,
      "starts 2026-11-22T03:00Z (now): 0.051 g/h; now at the origin 12 g/h; 0.2800 USD/h; no end; gcp/europe-north1",
    ],
    [
      "what is unknown",
      { ...AT_ONCE, gramsCO2: null, baselineGramsCO2: null, pricePerHour: null },
      AT_START,
      "starts 2026-11-22T03:00Z (now): CO2e unknown; price unknown; ends 06:00Z; gcp/europe-north1",
    ],
    [
      "an end on another day",
      { ...AT_ONCE, end: "2026-12-01T06:30:00Z", gramsCO2: 12_345, pricePerHour: 0 },
      AT_START,
      "starts 2026-11-22T03:00Z (now): 12 kg; now at the origin 34 g; 0.00 USD; ends 2026-12-01T06:30Z; gcp/europe-north1",
    ],
    [
      "a start in the past",
      { ...AT_ONCE, end: null },
      AT_START + 60,
      "started 2026-11-22T03:00Z: 2.4 g/h; now at the origin 34 g/h; 0.2800 USD/h; no end; gcp/europe-north1",
    ],
  ] as [string, Placement, number, string][])("says %s", (_, placement, nowSeconds, text) => {
    expect(summarise(placement, nowSeconds)).toBe(text);
  });

  it("says which limit ends a run without a duration", () => {
    const text = summarise({ ...AT_ONCE, end: null }, AT_START, { maxLifetime: "6h" });
    expect(text).toMatch(/; ends after maxLifetime 6h; gcp/);
    expect(summarise(AT_ONCE, AT_START, { maxLifetime: "6h" })).toMatch(/; ends 06:00Z; gcp/);
  });

  it("has at most 256 characters", () => {
    const now = { place: "a/b", gramsCO2: 9_999 };
    const placement = { ...PLACED, region: "r".repeat(200), end: "2027-11-22T06:00:00Z", now };
    expect(summarise(placement, FIVE_HOURS_BEFORE)).toHaveLength(256);
  });
});

describe("a decision", () => {
  const SPEC = {
    cpu: 2,
    memory: 4,
    duration: "3h",
    whenDone: "delete",
    deadline: "2026-11-25T00:00:00Z",
    provider: "azure",
    dataResidency: ["IT"],
  };

  it("compares a later start with the best place for an immediate one", async () => {
    const policy = await loadPolicy();
    const about = { ...context(policy), kind: "VmTemplate", operation: "CREATE" } as const;
    const placed = (spec: object): Placement => {
      const { placement } = decideAlone({ ...about, object: vm({ ...SPEC, ...spec }) });
      if (placement === null) throw new TypeError("denied");
      return placement;
    };
    const [later, atOnce] = [placed({}), placed({ deadline: undefined })];
    expect(later.start).not.toBe(atOnce.start);
    expect(later.now).toMatchObject({ place: `${atOnce.provider}/${atOnce.region}`, gramsCO2: atOnce.gramsCO2 });
    expect(later.gramsCO2).toBeLessThan(atOnce.gramsCO2 ?? 0);
    expect(atOnce).not.toHaveProperty("now");
  });

  it("is the first warning of an admission", async () => {
    const policy = await loadPolicy();
    const outcome = admit(create(vm(SPEC)), context(policy));
    expect(outcome).toMatchObject({ allowed: true, warnings: [expect.stringMatching(/^starts .*\(in .*\): /)] });
    expect(outcome.decision?.summary).toBe((outcome as { warnings: string[] }).warnings[0]);
  });

  it("is not told where the platform turns it off, and not if it is denied", async () => {
    const policy = await loadPolicy();
    const quiet = {
      ...policy,
      evaluate: (input: Parameters<typeof policy.evaluate>[0]) => {
        const result = policy.evaluate(input);
        return { ...result, schedule: { ...result.schedule, tellDecision: false } };
      },
    };
    expect(admit(create(vm(SPEC)), context(quiet))).toMatchObject({ allowed: true, warnings: [] });
    const denied = admit(create(vm({ ...SPEC, cpu: 99_999 })), context(policy, NOW));
    expect(denied).toMatchObject({ allowed: false });
    expect(denied.decision).not.toHaveProperty("summary");
  });
});
