import { expect, it } from "vitest";
import { forTeams } from "../../../../../src/policy/load-bundles.ts";
import { PROBE } from "../../../../../src/policy/module/probe.ts";

it("17: rules of a team see no objects of other namespaces", () => {
  const usage = { objects: 0, vcpus: 0, memoryGiB: 0, pricePerMonth: 0 };
  const own = { namespace: PROBE.metadata.namespace, name: "web" };
  const facts = { usage, vmName: "db", sameVmName: [own, { namespace: "secret", name: "db" }], asOf: 0 };
  expect(forTeams({ ...PROBE, facts })).toEqual({ ...PROBE, facts: { ...facts, sameVmName: [own] } });
  expect(forTeams({ ...PROBE, facts: null })).toEqual({ ...PROBE, facts: null });
});
