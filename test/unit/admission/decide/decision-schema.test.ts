import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import schema from "../../../../schemas/decision.schema.json" with { type: "json" };
import { decideAlone } from "../../../../src/admission/decide/decide.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import type { Decision } from "../../../../src/model/decision.ts";
import { context, NOW, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";
import { randomSpec } from "../../../support/random-spec.ts";
import { SCALE } from "../../../support/scale.ts";

const policy = await loadPolicy();
const validate = new Ajv({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true }).compile(
  schema,
);

const ask = (object: WorkloadObject): Decision =>
  decideAlone({ kind: "VmTemplate", object, operation: "CREATE", ...context(policy) });

describe("schemas/decision.schema.json", () => {
  it("accepts the decision of every random object, allowed or denied", () => {
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(randomSpec(NOW), (spec) => {
        const decision = ask(vm(spec));
        seen.add(decision.allowed);
        expect(validate(decision), JSON.stringify(validate.errors)).toBe(true);
      }),
      { numRuns: 150 * SCALE, seed: 31 },
    );
    expect(seen).toEqual(new Set([true, false]));
  });

  it.each([
    ["a misspelt object", vm({ cpu: "two", memori: 4 })],
    ["an object without anything", { apiVersion: "composition.krateo.io/v0-1-0", kind: "VmTemplate", metadata: {} }],
    ["a deadline that has passed", vm({ cpu: 1, memory: 1, deadline: "2020-01-01T00:00:00Z" })],
  ])("holds for %s", (_name, object) => {
    const decision = ask(object);
    expect(validate(decision), JSON.stringify(validate.errors)).toBe(true);
    expect(decision.allowed).toBe(false);
  });

  it("has every place either as remaining or with the rule that removed it", () => {
    const { candidates } = ask(vm({ cpu: 2, memory: 4, dataResidency: ["EU"], maxLatency: 30 }));
    const removed = Object.values(candidates.rejected).flat();
    expect(new Set(removed).size).toBe(removed.length);
    expect(removed.length + candidates.eligible).toBe(candidates.considered);
  });
});
