import { describe, expect, it } from "vitest";
import { findDrift } from "../../../src/composition/release/drift/find-drift.ts";
import type { Resource as Composed } from "../../../src/composition/types.ts";
import { ack } from "../../../src/local/simulators/ack/ack.ts";
import { nextStatus } from "../../../src/local/simulators/next-status.ts";
import earlier from "../../fixtures/operators/earlier-simulators.json" with { type: "json" };
import { apiVersionOf, comparable, phaseOf, resourceOf, sequences, simulated } from "./recorded-steps.ts";
import { NOW, replay, replayDeletion } from "./replay.ts";
import { lookupIn, resources, ruleOf } from "./resources.ts";

const EC2 = "ec2.services.k8s.aws/v1alpha1";

describe("recorded sequences of operators are read as", () => {
  it.each(sequences.filter(({ deleting }) => deleting !== true))("$operator: $name", ({ family, kind, steps }) => {
    replay({ apiVersion: apiVersionOf(family, kind), kind, steps });
  });

  it.each(sequences.filter(({ deleting }) => deleting === true))("$operator: $name", ({ family, kind, steps }) => {
    replayDeletion({ apiVersion: apiVersionOf(family, kind), kind, steps });
  });
});

describe("the simulator writes the conditions that its operator writes", () => {
  it.each(simulated)("$operator: $name: $phase", ({ family, kind, phase, conditions }) => {
    const subject = { resource: resourceOf(family, kind, phase), family, rule: ruleOf(family, kind) };
    const status = nextStatus(subject, phaseOf(phase, family, kind), { lookup: lookupIn([]), nowMs: NOW * 1000 });
    const written = status?.["conditions"] as Record<string, unknown>[];
    expect(comparable(written)).toEqual(comparable(conditions));
  });

  it("writes an Instance's image and disks back, once, and that is not drift", () => {
    const rule = ruleOf(ack, "Instance");
    const spec = "{imageID: 'resolve:ssm:/aws/x', blockDeviceMappings: [{deviceName: /dev/sda1}]}";
    const [resource] = resources(`{apiVersion: ${EC2}, kind: Instance, metadata: {name: web}, spec: ${spec}}`);
    if (resource === undefined) throw new TypeError("no resource");
    const written = rule.writeBack?.(resource) ?? {};
    expect(written).toEqual({
      imageID: expect.stringMatching(/^ami-[0-9a-f]{17}$/) as string,
      blockDeviceMappings: null,
      networkInterfaces: [{ deviceIndex: 0, subnetID: expect.stringMatching(/^subnet-/) as string }],
      securityGroupIDs: [expect.stringMatching(/^sg-/) as string],
    });
    const { blockDeviceMappings: _, ...left } = { ...resource.spec, ...written };
    expect(rule.writeBack?.({ ...resource, spec: left })).toBeNull();
    expect(findDrift(resource as Composed, { ...resource, spec: left })).toBeNull();
  });
});

type Answer = (typeof earlier.answers)[number];

/** Whether the simulators of before wrote what the operator writes; a text says why they wrote nothing. */
function isRight({ operator, name, at, conditions }: Answer): boolean {
  const step = simulated.find((one) => one.operator === operator && one.name === name && one.at === at);
  if (step === undefined || typeof conditions === "string") return false;
  return JSON.stringify(comparable(conditions)) === JSON.stringify(comparable(step.conditions));
}

describe("the simulators of before they followed their operators' tables", () => {
  it("answered to every recorded step", () => {
    const ids = (steps: readonly Pick<Answer, "operator" | "name" | "at" | "phase">[]): string[] =>
      steps.map(({ operator, name, at, phase }) => `${operator}: ${name}: ${String(at)} ${phase}`);
    expect(ids(earlier.answers)).toEqual(ids(simulated));
  });

  it.each([
    ["ack", 20, 20],
    ["aso", 8, 17],
    ["kcc", 5, 15],
  ])("are refused by the comparison: of %s, %i of %i steps", (operator, refused, all) => {
    const answers = earlier.answers.filter((answer) => answer.operator === operator);
    expect([answers.filter((answer) => !isRight(answer)).length, answers.length]).toEqual([refused, all]);
  });
});
