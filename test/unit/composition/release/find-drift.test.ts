import { describe, expect, it } from "vitest";
import { afterUpgrade, isTriedLately } from "../../../../src/composition/managed/drift-history.ts";
import { findDrift } from "../../../../src/composition/release/drift/find-drift.ts";
import type { Resource } from "../../../../src/composition/types.ts";

const object = (spec: Record<string, unknown>): Resource => ({ apiVersion: "a/v1", kind: "A", metadata: {}, spec });

it.each<[string, Record<string, unknown>, Record<string, unknown>, string | null]>([
  ["the same", { a: 1, b: { c: ["x"] } }, { a: 1, b: { c: ["x"] } }, null],
  ["another value", { a: 1 }, { a: 2 }, "spec.a"],
  ["a value deep inside", { a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 2 }] } }, "spec.a.b[0].c"],
  ["a field that is gone", { a: 1 }, {}, "spec.a"],
  ["a field that the operator filled", { a: 1 }, { a: 1, late: "x" }, null],
  ["a list that grew", { a: ["x"] }, { a: ["x", "y"] }, "spec.a"],
  ["empty and absent are the same", { a: {}, b: null, c: [], d: "" }, {}, null],
  ["a list that is to be empty", { a: [] }, { a: ["x"] }, "spec.a"],
  ["a number is no string", { a: 1 }, { a: "1" }, "spec.a"],
])("%s", (_, manifest, live, expected) => {
  expect(findDrift(object(manifest), object(live))).toBe(expected);
});

describe("what an operator writes back into the spec", () => {
  const instance = (spec: Record<string, unknown>, managedFields?: object[]): Resource => ({
    apiVersion: "ec2.services.k8s.aws/v1alpha1",
    kind: "Instance",
    metadata: { managedFields } as Resource["metadata"],
    spec,
  });
  const disks = [{ deviceName: "/dev/sda1", ebs: { volumeSize: 20, volumeType: "gp3" } }];

  it.each<[string, Record<string, unknown>, Record<string, unknown>, string | null]>([
    ["an image's id for its parameter", { imageID: "resolve:ssm:/aws/x" }, { imageID: "ami-0a1b2c3d" }, null],
    ["another image", { imageID: "ami-0a1b2c3d" }, { imageID: "ami-ffffffff" }, "spec.imageID"],
    ["disks that were stripped", { blockDeviceMappings: disks }, {}, null],
    [
      "parts of disks",
      { blockDeviceMappings: disks },
      { blockDeviceMappings: [{ deviceName: "/dev/sda1", ebs: {} }] },
      null,
    ],
    ["what was added", { imageID: "ami-1" }, { imageID: "ami-1", networkInterfaces: [{ deviceIndex: 0 }] }, null],
    [
      "another type next to it",
      { blockDeviceMappings: disks, instanceType: "t3.large" },
      { instanceType: "t3.small" },
      "spec.instanceType",
    ],
  ])("%s", (_, wanted, live, expected) => {
    expect(findDrift(instance(wanted), instance(live))).toBe(expected);
  });

  const owned = (manager: string, fieldsV1: object, subresource?: string) => ({
    ...{ manager, operation: "Update", fieldsType: "FieldsV1", fieldsV1 },
    ...(subresource === undefined ? {} : { subresource }),
  });
  const status = owned("controller", { "f:status": { "f:conditions": {} } }, "status");
  const field = { "f:spec": { "f:monitoring": { "f:enabled": {} } } };

  it.each<[string, object[], string | null]>([
    ["its operator", [status, owned("controller", field)], null],
    ["a person", [status, owned("kubectl-edit", field)], "spec.monitoring.enabled"],
    [
      "its operator and a person",
      [status, owned("controller", field), owned("kubectl", field)],
      "spec.monitoring.enabled",
    ],
    ["nobody who is known", [status], "spec.monitoring.enabled"],
    ["its operator, the whole map", [status, owned("controller", { "f:spec": { "f:monitoring": {} } })], null],
  ])("is told by who wrote it: %s", (_, managedFields, expected) => {
    const [wanted, live] = [{ monitoring: { enabled: true } }, { monitoring: { enabled: false } }];
    expect(findDrift(instance(wanted), instance(live, managedFields))).toBe(expected);
  });
});

describe("the rules of a security group without ports", () => {
  const group = (spec: Record<string, unknown>, managedFields?: object[]): Resource => ({
    ...{ apiVersion: "ec2.services.k8s.aws/v1alpha1", kind: "SecurityGroup", spec },
    metadata: { managedFields } as Resource["metadata"],
  });
  const rules = [{ ipProtocol: "tcp", fromPort: 22, toPort: 22, ipRanges: [{ cidrIP: "0.0.0.0/0" }] }];
  const by = (manager: string) => ({ manager, fieldsV1: { "f:spec": { "f:ingressRules": {} } } });
  const operator = { manager: "controller", subresource: "status", fieldsV1: {} };

  it("are drift where a person opened one, and none as long as there is none", () => {
    expect(findDrift(group({ ingressRules: [] }), group({}))).toBeNull();
    const opened = group({ ingressRules: rules }, [operator, by("kubectl-edit")]);
    expect(findDrift(group({ ingressRules: [] }), opened)).toBe("spec.ingressRules");
  });

  it("would not be compared if the manifest did not name them", () => {
    expect(findDrift(group({}), group({ ingressRules: rules }, [operator, by("kubectl-edit")]))).toBeNull();
  });
});

it("waits longer before each correction of recurring drift", () => {
  const once = afterUpgrade(new Map(), "x", 100);
  expect(isTriedLately(once, "x", 129)).toBe(true);
  expect(isTriedLately(once, "x", 130)).toBe(false);
  expect(isTriedLately(once, "y", 101)).toBe(false);
  const twice = afterUpgrade(once, "x", 130);
  expect(isTriedLately(twice, "x", 249)).toBe(true);
  expect(isTriedLately(twice, "x", 250)).toBe(false);
});

it("forgets drift that did not recur", () => {
  const once = afterUpgrade(new Map(), "x", 100);
  expect([...afterUpgrade(once, null, 161).keys()]).toEqual([]);
});
