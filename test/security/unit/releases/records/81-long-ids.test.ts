import { expect, it } from "vitest";
import { machineOf } from "../../../../../src/composition/run/machine/run-sign.ts";
import type { Resource } from "../../../../../src/composition/types.ts";

const instance = (instanceID: unknown): Resource => ({
  ...{ apiVersion: "ec2.services.k8s.aws/v1alpha1", kind: "Instance", metadata: { name: "web", uid: "one" } },
  status: { instanceID },
});

it.each([
  ["of a megabyte", "i".repeat(1_000_000)],
  ["a little too long", "i".repeat(1025)],
  ["with text for people", "i-1 see https://example.org"],
  ["that is empty", ""],
  ["that is no text", { id: "i-1" }],
])("81: an id %s is not recorded for a run", (_what, id) => {
  expect(machineOf([instance(id)])).toBeNull();
});

it("81: a provider's id is recorded", () => {
  expect(machineOf([instance("i-0123456789abcdef0")])).toEqual({ uid: "one", id: "i-0123456789abcdef0" });
});
