import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import type { PolicyResult } from "../../../../src/model/policy.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import type { LoadedBundle } from "../../../../src/policy/loaded-bundle.ts";
import { context, create, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const MACHINE = { cpu: 2, memory: 4, maxLatency: 1000, schedulingTime: "2026-11-20T22:00:00Z" };

function ask(spec: Record<string, unknown>, by: LoadedBundle = policy) {
  const object = vm({ ...MACHINE, ...spec });
  const outcome = admit(create(object), context(by));
  const written = outcome.allowed ? patched(object, outcome) : null;
  return {
    codes: outcome.allowed ? [] : outcome.codes,
    message: outcome.allowed ? "" : outcome.message,
    written,
    placement: written === null ? undefined : readDecision(written)?.placement,
  };
}

/** The same places, of which one has a spot price below all others. */
const cheapSpot = (place: string): LoadedBundle => ({
  ...policy,
  evaluate: (input): PolicyResult => {
    const result = policy.evaluate(input);
    const candidates = result.candidates.map((one) =>
      one.place === place ? { ...one, capacity: "spot" as const, pricePerHour: 0.0001 } : one,
    );
    return { ...result, candidates };
  },
});

describe("capacity", () => {
  it("is not decided for an object that does not ask for it", () => {
    const { written, placement } = ask({});
    expect(placement).not.toHaveProperty("capacityType");
    expect(written?.spec).not.toHaveProperty("capacityType");
  });

  it("spot is bought where spot machines are sold, and written", () => {
    const { written, placement } = ask({ capacity: "spot" });
    expect(placement).toMatchObject({ capacityType: "spot", pricePerHour: null });
    expect(placement?.provider).not.toBe("elemento");
    expect(written?.spec).toMatchObject({ capacity: "spot", capacityType: "spot" });
  });

  it("either is on demand where no spot price is known, and spot where one is lower", () => {
    expect(ask({ capacity: "either" }).placement).toMatchObject({ capacityType: "on-demand" });
    const { placement, written } = ask({ capacity: "either", optimizeFor: "cost" }, cheapSpot("gcp/europe-west4"));
    expect(placement).toMatchObject({ region: "europe-west4", capacityType: "spot", pricePerHour: 0.0001 });
    expect(written?.spec).toMatchObject({ capacity: "either", capacityType: "spot" });
  });

  it("spot is denied only where the object fixes a provider that sells none, with those that do", () => {
    const { codes, message } = ask({ capacity: "spot", provider: "elemento" });
    expect(codes).toEqual(["POL_SPOT"]);
    expect(message).toMatch(/aws or azure or gcp|passes with/);
    expect(ask({ capacity: "either", provider: "elemento" }).placement).toMatchObject({ capacityType: "on-demand" });
  });

  it("spot is never a machine of Azure's B-series, which is sold on demand only", () => {
    const asked = { capacity: "spot", burstable: true, provider: "azure" };
    expect(ask(asked).written?.spec?.["instanceType"]).toMatch(/^Standard_D/);
    expect(ask({ ...asked, capacity: "on-demand" }).written?.spec?.["instanceType"]).toMatch(/^Standard_B/);
    const { codes, message } = ask({ ...asked, instanceType: "Standard_B2ls_v2" });
    expect(codes).toEqual(["POL_INSTANCE_TYPE"]);
    expect(message).toContain("cannot be a spot machine of azure: it sells its burstable machines");
  });

  it.each([
    [{ capacity: "spot", duration: "1h", whenDone: "stop" }, "POL_SPOT_STOP"],
    [{ capacity: "on-demand", capacityType: "spot" }, "POL_CAPACITY_TYPE"],
    [{ capacity: "spot", maxPrice: "1" }, "POL_MAX_PRICE"],
    [{ capacity: "Spot" }, "ADM_SCHEMA"],
    [{ capacity: "cheap" }, "ADM_SCHEMA"],
    [{ capacity: true }, "ADM_SCHEMA"],
    [{ capacityType: "either" }, "ADM_SCHEMA"],
  ])("%j is denied with %s", (spec, code) => {
    expect(ask(spec).codes).toContain(code);
  });

  it("is no field of a cluster", () => {
    const object = { ...vm({ nodePools: [{ name: "a", cpu: 2, memory: 4, count: 1 }], capacity: "spot" }) };
    const outcome = admit({ ...create({ ...object, kind: "KaasCluster" }), kind: "KaasCluster" }, context(policy));
    expect(outcome.allowed ? [] : outcome.codes).toEqual(["ADM_SCHEMA"]);
  });

  describe("of a machine that is installed", () => {
    const { written } = ask({ capacity: "either", optimizeFor: "cost" }, cheapSpot("gcp/europe-west4"));
    if (written === null) throw new TypeError("it was denied");
    const changed = (spec: Record<string, unknown>): WorkloadObject => ({
      ...written,
      spec: { ...written.spec, ...spec },
    });

    it("stays, though its price is not known any more", () => {
      const next = changed({ cpu: 4, memory: 8 });
      const outcome = admit(update(written, next), context(policy));
      expect(outcome.allowed ? patched(next, outcome).spec : outcome.message).toMatchObject({ capacityType: "spot" });
    });

    it("stays if the object does not say it any more", () => {
      const { capacity: _asked, capacityType: _written, ...spec } = written.spec ?? {};
      const next = { ...written, spec: { ...spec, cpu: 4, memory: 8 } };
      const outcome = admit(update(written, next), context(policy));
      expect(outcome.allowed ? patched(next, outcome).spec : outcome.message).toMatchObject({ capacityType: "spot" });
    });

    it.each([{ capacity: "on-demand" }, { capacityType: "on-demand" }])("cannot become %j", (spec) => {
      const outcome = admit(update(written, changed(spec)), context(policy));
      expect(outcome.allowed ? [] : outcome.codes).toContain("ADM_IMMUTABLE");
    });
  });
});
