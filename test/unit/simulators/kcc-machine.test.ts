import { describe, expect, it } from "vitest";
import catalog from "../../../catalog/instance-types.json" with { type: "json" };
import { kcc } from "../../../src/local/simulators/kcc/kcc.ts";
import { RUNNING } from "../../../src/local/simulators/pool-versions.ts";
import { lookupIn, resources, ruleOf } from "./resources.ts";

/** What Google says of a change of this field, of which it has the value `from`; null for nothing. */
function answer(kind: string, [from, to]: readonly [unknown, unknown], field: string): string | null {
  const [resource] = resources(`
apiVersion: compute.cnrm.cloud.google.com/v1beta1
kind: ${kind}
metadata: {name: web, annotations: {${RUNNING}: "${String(from)}"}}
spec: {${field}: ${String(to)}}
`);
  return (resource && ruleOf(kcc, kind).refuses?.(resource, lookupIn([]))?.message) ?? null;
}

describe("Google Cloud, as it is simulated", () => {
  it("changes a machine between series of the first two generations, and T2A within its own", () => {
    const types = Object.entries(catalog.providers.gcp.types);
    const first = ["e2-standard-2", "t2a-standard-1"] as const;
    for (const from of first) {
      const group = catalog.providers.gcp.types[from].resizeGroup;
      for (const [to, { resizeGroup }] of types)
        expect([from, to, answer("ComputeInstance", [from, to], "machineType") === null]).toEqual([
          from,
          to,
          group === resizeGroup,
        ]);
    }
  });

  it.each([
    ["europe-west1-a", "Error loading zone 'europe-west1-a'"],
    ["europe-west1-d", null],
    ["europe-west8-a", null],
  ])("answers to a new machine in zone %s", (zone, expected) => {
    const said = answer("ComputeInstance", ["", zone], "zone");
    if (expected === null) expect(said).toBeNull();
    else expect(said).toContain(expected);
  });

  it.each([
    ["{instanceTerminationAction: STOP, maxRunDuration: {seconds: 900}}", true],
    ["{instanceTerminationAction: DELETE, maxRunDuration: {seconds: 900}}", false],
    ["{instanceTerminationAction: STOP}", false],
  ])("answers to a machine with the scheduling %s", (scheduling, isRefused) => {
    const said = answer("ComputeInstance", ["e2-standard-2", scheduling], "scheduling");
    if (isRefused) expect(said).toContain("Can not set MaxRunDuration on instance with STOP");
    else expect(said).toBeNull();
  });

  it("shrinks no disk", () => {
    expect(answer("ComputeDisk", [100, 200], "size")).toBeNull();
    expect(answer("ComputeDisk", [100, 100], "size")).toBeNull();
    expect(answer("ComputeDisk", [100, 50], "size")).toContain("immutable field(s): [size]");
  });
});

/** Google's answer to a new resource of one kind. */
function answerTo(kind: string, spec: string): string | null {
  const [resource] = resources(`
apiVersion: compute.cnrm.cloud.google.com/v1beta1
kind: ${kind}
metadata: {name: web, annotations: {cnrm.cloud.google.com/project-id: mine}}
spec: ${spec}
`);
  return (resource && ruleOf(kcc, kind).refuses?.(resource, lookupIn([]))?.message) ?? null;
}

it("takes a firewall rule for a network of its own project alone", () => {
  const rule = (network: string): string | null =>
    answerTo("ComputeFirewall", `{networkRef: {external: "${network}"}}`);
  expect(rule("projects/host/global/networks/n")).toContain("Cross project referencing is not allowed");
  expect(rule("projects/mine/global/networks/n")).toBeNull();
  expect(rule("n")).toBeNull();
  expect(answerTo("ComputeFirewall", "{networkRef: {name: net}}")).toBeNull();
});

it("makes a machine in the region of its subnetwork alone", () => {
  const machine = (subnet: string): string | null =>
    answerTo("ComputeInstance", `{zone: europe-west1-b, networkInterface: [{subnetworkRef: ${subnet}}]}`);
  expect(machine("{external: projects/mine/regions/europe-west4/subnetworks/s}")).toContain("subnetwork");
  expect(machine("{external: projects/mine/regions/europe-west1/subnetworks/s}")).toBeNull();
  expect(machine("{name: web-subnet}")).toBeNull();
});
