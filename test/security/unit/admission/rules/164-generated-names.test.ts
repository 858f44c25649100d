import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import type { PolicyInput } from "../../../../../src/model/policy.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { context, create, NO_OWNERS, NOW, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();

/** The name by which the policy judges a new object, in exemptions and patterns. */
function judgedAs({ name, ...others }: Partial<WorkloadObject["metadata"]>): string[] {
  const judged: string[] = [];
  const evaluate = (input: PolicyInput): ReturnType<typeof policy.evaluate> => {
    judged.push(input.request.name, input.metadata.name);
    return policy.evaluate(input);
  };
  const object = vm({ cpu: 2, memory: 4 });
  const metadata = { namespace: "demo", ...others, ...(name === undefined ? {} : { name }) };
  const outcome = admit(create({ ...object, metadata }), context({ ...policy, evaluate }, NOW, NO_OWNERS));
  expect(outcome.allowed).toBe(true);
  return [...new Set(judged)];
}

describe("164: an object whose name is generated", () => {
  it("is not judged by its prefix, which is the name of another object: it gets five more characters", () => {
    expect(judgedAs({ generateName: "legacy" })).toEqual(["legacyxxxxx"]);
    expect(judgedAs({ generateName: "batch-" })).toEqual(["batch-xxxxx"]);
  });

  it("is judged by its name if it has one", () => {
    expect(judgedAs({ name: "legacy", generateName: "leg" })).toEqual(["legacy"]);
  });
});
