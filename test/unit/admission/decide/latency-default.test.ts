import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { decideAlone } from "../../../../src/admission/decide/decide.ts";
import { withinDefault } from "../../../../src/admission/decide/narrow-places.ts";
import type { Decision } from "../../../../src/model/decision.ts";
import type { PolicyResult } from "../../../../src/model/policy.ts";
import { context, create, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const decided = (spec: Record<string, unknown>, bundle = policy): Decision =>
  decideAlone({ ...context(bundle), kind: "VmTemplate", operation: "CREATE", object: vm(spec) });
const placeOf = ({ placement }: Decision): string => `${String(placement?.provider)}/${String(placement?.region)}`;
const codesOf = ({ warnings }: Decision): string[] => warnings.map(({ code }) => code);

/** The bundle with another result. */
const changed = (change: (result: PolicyResult) => Partial<PolicyResult>): typeof policy => ({
  ...policy,
  evaluate: (input) => {
    const result = policy.evaluate(input);
    return { ...result, ...change(result) };
  },
});
const LARGE = { cpu: 64, memory: 256 };
const anywhere = changed(() => ({ latencyDefault: null }));

describe("a machine that says nothing of where it may run", () => {
  it("stays within 100 ms of the origin", () => {
    const decision = decided(LARGE);
    expect(decision.placement?.latencyMs).toBeLessThanOrEqual(100);
    const [last] = decision.candidates.funnel.slice(-1);
    expect(last).toMatchObject({
      rule: "latencyDefault",
      text: expect.stringMatching(/^default maxLatency 100 ms from azure\/italynorth: \d+ remain$/) as string,
    });
    expect(decision.candidates.rejected["latencyDefault"]).toContain("azure/canadacentral");
    expect(decision.written).not.toContain("maxLatency");
    expect(decision.candidates.eligible).toBeLessThan(decided(LARGE, anywhere).candidates.eligible);
  });

  it.each([
    ["maxLatency", { maxLatency: 300 }],
    ["residency", { dataResidency: ["EU", "CA"] }],
    ["a region", { provider: "azure", schedulingLocation: "canadacentral" }],
  ])("has no default with %s", (_, fields) => {
    expect(decided({ ...LARGE, ...fields })).toEqual(decided({ ...LARGE, ...fields }, anywhere));
  });

  it("runs farther away, with a warning, if nothing near can run it", () => {
    const nowhere = changed(() => ({ latencyDefault: { ms: 1, origin: "azure/brazilsouth" } }));
    const far = { ...LARGE, origin: "azure/brazilsouth", provider: "gcp" };
    const decision = decided(far, nowhere);
    expect(decision.allowed).toBe(true);
    expect(placeOf(decision)).toBe(placeOf(decided(far, anywhere)));
    expect(codesOf(decision)).toContain("ADM_LATENCY_DEFAULT");
    expect(decision.candidates.rejected).not.toHaveProperty("latencyDefault");
  });

  it("runs farther away, with a warning, if budgets fill what is near", () => {
    const near = decided(LARGE).candidates.best.map(({ place }) => place);
    const [only = ""] = near;
    const full = changed((result) => ({
      candidates: result.candidates.filter(({ place, latencyMs }) => place === only || (latencyMs ?? 0) > 100),
      schedule: { ...result.schedule, budgets: { ...result.schedule.budgets, places: { [only]: 1 } } },
    }));
    const decision = decided(LARGE, full);
    expect(decision.placement?.latencyMs).toBeGreaterThan(100);
    expect(codesOf(decision)).toContain("ADM_LATENCY_DEFAULT");
  });

  it("stays where it is if it was decided before there was a default", () => {
    const object = vm(LARGE, { uid: "u-1" });
    const far = changed((result) => ({
      latencyDefault: null,
      candidates: result.candidates.filter(({ place }) => place === "azure/canadacentral"),
    }));
    const old = patched(object, admit(create(object), context(far)));
    expect(old.spec?.["schedulingLocation"]).toBe("canadacentral");
    const next = { ...old, spec: { ...old.spec, memory: 200 } };
    const outcome = admit(update(old, next), context(policy, NOW + 3600));
    expect(outcome).toMatchObject({ allowed: true, decision: { placement: { region: "canadacentral" } } });
    expect(outcome.allowed ? outcome.warnings.join() : "denied").not.toContain("ADM_LATENCY_DEFAULT");
  });
});

it("a result without a default, as of earlier bundles, stays as it is", () => {
  const result = { candidates: [{}], funnel: [], rejected: {} } as unknown as PolicyResult;
  expect(withinDefault(result)).toBe(result);
});
