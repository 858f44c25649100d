import fc from "fast-check";
import jsonPatch, { type Operation } from "fast-json-patch";
import { describe, expect, it } from "vitest";
import { decideAlone } from "../../../../src/admission/decide/decide.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { context, NOW, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";
import { randomSpec } from "../../../support/random-spec.ts";
import { rememberAnswers } from "../../../support/remember-answers.ts";
import { SCALE } from "../../../support/scale.ts";

const policy = rememberAnswers(await loadPolicy());
const ask = (object: WorkloadObject) =>
  decideAlone({ kind: "VmTemplate", object, operation: "CREATE", ...context(policy) });

describe("remedies", () => {
  it("pass when they are applied, for every random denial that has one", () => {
    let [denied, mended] = [0, 0];
    fc.assert(
      fc.property(randomSpec(NOW), fc.integer({ min: 1, max: 30 }), (spec, maxLatency) => {
        const object = vm({ ...spec, maxLatency });
        const decision = ask(object);
        if (decision.allowed) return;
        denied += 1;
        const patch = decision.denials[0]?.patch;
        if (patch === undefined) return;
        mended += 1;
        const changed: unknown = jsonPatch.applyPatch(jsonPatch.deepClone(object), patch as Operation[]).newDocument;
        expect(ask(changed as WorkloadObject)).toMatchObject({ allowed: true });
      }),
      { numRuns: 200 * SCALE, seed: 23 },
    );
    expect(denied).toBeGreaterThan(50);
    console.log(`denials with a remedy: ${String(mended)} of ${String(denied)}`);
    expect(mended / denied).toBeGreaterThanOrEqual(0.9);
  });

  it("names the largest memory and the smallest latency that pass, the smaller step first", () => {
    const decision = ask(vm({ cpu: 2, memory: 4, origin: "azure/italynorth", maxLatency: 12, provider: "gcp" }));
    expect(decision.denials[0]).toMatchObject({
      code: "PLACEMENT_NONE",
      patch: [{ op: "replace", path: "/spec/maxLatency" }],
    });
    expect(decision.denials[0]?.remedy).toMatch(/^maxLatency ≥ \d+ \(gcp\/[a-z0-9-]+\)/);
  });

  it("moves a deadline that cannot be met", () => {
    const decision = ask(vm({ cpu: 2, memory: 4, duration: "3h", deadline: "2026-11-20T23:00:00Z" }));
    expect(decision.denials[0]?.patch).toEqual([
      { op: "replace", path: "/spec/deadline", value: "2026-11-21T02:00:00Z" },
    ]);
  });

  it("never proposes what the namespace forbids", () => {
    const namespace = { name: "demo", labels: {}, annotations: { "landfall.dev/providers": "azure" } };
    const object = vm({ cpu: 2, memory: 4, provider: "gcp" });
    const decision = decideAlone({ kind: "VmTemplate", object, operation: "CREATE", ...context(policy), namespace });
    expect(decision.allowed).toBe(false);
    expect(decision.denials[0]?.patch).toEqual([{ op: "replace", path: "/spec/provider", value: "azure" }]);
  });

  it("are searched for without comparing names of the catalog for each try", () => {
    const object = vm({ cpu: 16, memory: 64, instanceType: "m7i.larg", provider: "aws" });
    let [decisions, compared] = [0, 0];
    const evaluate: typeof policy.evaluate = (input) => {
      decisions += 1;
      return policy.evaluate(input);
    };
    const catalog = {
      ...policy.catalog,
      get types() {
        compared += 1;
        return policy.catalog.types ?? {};
      },
    };
    const counted = { ...context(policy), policy: { ...policy, evaluate, catalog } };
    const decision = decideAlone({ kind: "VmTemplate", object, operation: "CREATE", ...counted });
    expect(decision.denials[0]?.code).toBe("POL_INSTANCE_TYPE");
    expect(decisions).toBeGreaterThan(5);
    // One for the text, one for the change to the name.
    expect(compared).toBe(2);
  });

  it("have none for invalid syntax", () => {
    expect(ask(vm({ cpu: "many", memory: 4 })).denials[0]?.patch).toBeUndefined();
  });
});
