import { describe, expect, it } from "vitest";
import catalog from "../../../catalog/instance-types.json" with { type: "json" };
import { kcc } from "../../../src/local/simulators/kcc/kcc.ts";
import { RUNNING } from "../../../src/local/simulators/pool-versions.ts";
import { nextStatus } from "../../../src/local/simulators/next-status.ts";
import type { RefusalKind, Resource } from "../../../src/local/simulators/types.ts";
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

it("makes a machine, and a pool's nodes, only in zones with their type", () => {
  const machine = (zone: string, type: string): string | null =>
    answerTo("ComputeInstance", `{zone: ${zone}, machineType: ${type}}`);
  expect(machine("us-west4-a", "a2-highgpu-1g")).toContain(
    "Machine type with name 'a2-highgpu-1g' does not exist in zone 'us-west4-a'",
  );
  expect(machine("us-west4-b", "a2-highgpu-1g")).toBeNull();
  expect(machine("us-west4-a", "e2-standard-2")).toBeNull();
});

describe("another type of a machine that is there", () => {
  /** The machine with this type after it ran with another one. */
  const resized = (from: string, to: string): Resource => {
    const [machine] = resources(`
apiVersion: compute.cnrm.cloud.google.com/v1beta1
kind: ComputeInstance
metadata: {name: web, annotations: {${RUNNING}: ${from}}}
spec: {zone: us-west2-b, machineType: ${to}, desiredStatus: RUNNING}
status: {selfLink: link, currentStatus: RUNNING}
`) as [Resource];
    return machine;
  };
  const refusalOf = (machine: Resource) => ruleOf(kcc, "ComputeInstance").refuses?.(machine, lookupIn([])) ?? null;

  // needToStopInstanceBeforeUpdating in resource_compute_instance.go.
  it.each([
    ["e2-standard-2", "c2d-highcpu-56", "Machine type with name 'c2d-highcpu-56' does not exist in zone 'us-west2-b'"],
    ["e2-standard-2", "t2a-standard-1", "Machine type with name 't2a-standard-1' does not exist"],
    ["n2-standard-2", "n4-standard-2", "googleapi: Error 400"],
  ])("is refused by Google after Config Connector has stopped it: %s to %s", (from, to, words) => {
    const machine = resized(from, to);
    const refusal = refusalOf(machine);
    expect(refusal?.message).toContain(words);
    expect(refusal?.message).not.toContain("Error creating");
    const phase = { name: "refused", refusal: refusal ?? { code: "", message: "", terminal: false } } as const;
    const subject = { family: kcc, rule: ruleOf(kcc, "ComputeInstance"), resource: machine };
    expect(nextStatus(subject, phase, { lookup: lookupIn([]), nowMs: 0 })).toMatchObject({
      currentStatus: "TERMINATED",
    });
  });

  it("leaves it stopped as well where no machine or quota is left, and running where nothing was sent", () => {
    const [other, same] = [resized("e2-standard-2", "n2-standard-2"), resized("e2-standard-2", "e2-standard-2")];
    const left = (kind: RefusalKind, machine: Resource) => kcc.refusal(kind, machine, "").leaves;
    for (const kind of ["not-offered", "no-capacity", "quota-exceeded"] as const) {
      expect(left(kind, other)).toEqual({ currentStatus: "TERMINATED" });
      expect(left(kind, same)).toBeUndefined();
    }
    expect(left("immutable", other)).toBeUndefined();
  });

  it("may be the one that it has, wherever that is sold today", () => {
    expect(refusalOf(resized("c2d-highcpu-56", "c2d-highcpu-56"))).toBeNull();
    expect(refusalOf(resized("e2-standard-2", "n2-standard-2"))).toBeNull();
  });

  it("leaves a run stopped whose change was refused, although its spec is as before", () => {
    const { status } = ruleOf(kcc, "ComputeInstance");
    const machine = resized("e2-standard-2", "e2-standard-2");
    const stopped = { ...machine, status: { ...machine.status, currentStatus: "TERMINATED" } };
    const { desiredStatus: _none, ...ofRun } = machine.spec;
    expect(status(stopped, lookupIn([]))["currentStatus"]).toBe("RUNNING");
    expect(status({ ...stopped, spec: ofRun }, lookupIn([]))["currentStatus"]).toBe("TERMINATED");
    expect(status({ ...machine, status: {}, spec: ofRun }, lookupIn([]))["currentStatus"]).toBe("RUNNING");
  });
});
