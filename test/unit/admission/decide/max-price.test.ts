import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { Outcome } from "../../../../src/admission/types.ts";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import { context, create, patched, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const MACHINE = { cpu: 2, memory: 4, maxLatency: 1000 };
const NODE = { name: "a", cpu: 2, memory: 4 };

function ask(spec: Record<string, unknown>) {
  const object = vm({ ...MACHINE, ...spec });
  const outcome = admit(create(object), context(policy));
  return { outcome, placement: outcome.allowed ? readDecision(patched(object, outcome))?.placement : undefined };
}
const askCluster = (spec: Record<string, unknown>): Outcome =>
  admit({ ...create({ ...vm(spec), kind: "KaasCluster" }), kind: "KaasCluster" }, context(policy));
const codesOf = (outcome: Outcome): readonly string[] => (outcome.allowed ? [] : outcome.codes);
const messageOf = (outcome: Outcome): string => (outcome.allowed ? "" : outcome.message);

describe("a limit of the price", () => {
  it("leaves only places whose machine costs at most that", () => {
    const free = ask({}).placement?.pricePerHour ?? 0;
    const { placement } = ask({ maxPrice: (free * 0.9).toFixed(4) });
    expect(placement?.pricePerHour).toBeLessThanOrEqual(free * 0.9 + 0.0001);
    expect(placement?.pricePerHour).toBeGreaterThan(0);
  });

  it("below every price is denied with the lowest one, which passes", () => {
    const { outcome } = ask({ maxPrice: "0.001" });
    expect(codesOf(outcome)).toEqual(["POL_MAX_PRICE"]);
    const [, lowest = ""] = /passes with: maxPrice "([\d.]+)"/.exec(messageOf(outcome)) ?? [];
    expect(Number(lowest)).toBeGreaterThan(0.001);
    const { placement } = ask({ maxPrice: lowest });
    expect(placement?.pricePerHour).toBe(Number(lowest));
    const less = (Number(lowest) - 0.000001).toFixed(6);
    expect(codesOf(ask({ maxPrice: less }).outcome)).toEqual(["POL_MAX_PRICE"]);
  });

  it("is not met by a place without a published price", () => {
    const { outcome } = ask({ maxPrice: "100", provider: "elemento" });
    expect(codesOf(outcome)).toEqual(["POL_MAX_PRICE"]);
    expect(messageOf(outcome)).toContain("no price is published there");
    expect(messageOf(outcome)).toContain("no maxPrice");
  });

  it("names a machine type that is too dear as such", () => {
    const { outcome } = ask({
      maxPrice: "0.02",
      provider: "aws",
      schedulingLocation: "eu-north-1",
      instanceType: "m7i.2xlarge",
    });
    expect(codesOf(outcome)).toEqual(["POL_MAX_PRICE"]);
    expect(messageOf(outcome)).toContain("aws/eu-north-1");
  });

  it.each([
    ["zero", "0"],
    ["zero with decimals", "0.00"],
    ["a word", "cheap"],
    ["a currency", "0.12 USD"],
    ["a comma", "0,12"],
    ["an exponent", "1e3"],
    ["nothing", ""],
    ["a number without quotes", 0.12],
    ["a number that is zero", 0],
  ])("is not %s", (_what, maxPrice) => {
    const { outcome } = ask({ maxPrice });
    expect(codesOf(outcome)).toEqual(["ADM_SCHEMA"]);
    expect(messageOf(outcome)).toContain("spec.maxPrice");
    expect(messageOf(outcome)).toMatch(/write /);
  });

  it("is omitted where no price is meant", () => {
    const { outcome } = ask({ maxPrice: "-1" });
    expect(codesOf(outcome)).toEqual(["ADM_SCHEMA"]);
    expect(messageOf(outcome)).toContain('spec.maxPrice "-1" is not a price; omit maxPrice');
  });

  it("counts a cluster with every pool at its largest", () => {
    const fixed = { nodePools: [{ ...NODE, count: 2 }], provider: "gcp", schedulingLocation: "europe-west4" };
    const grows = { ...fixed, nodePools: [{ ...NODE, min: 2, max: 20 }] };
    const lowest = (spec: object): number =>
      Number(/passes with: maxPrice "([\d.]+)"/.exec(messageOf(askCluster({ ...spec, maxPrice: "0.001" })))?.[1]);
    expect(lowest(grows)).toBeCloseTo(10 * lowest(fixed), 4);
  });
});
