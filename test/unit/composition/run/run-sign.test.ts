import { describe, expect, it } from "vitest";
import { planOf } from "../../../../src/composition/run/state/run-plan.ts";
import { machineOf, machineOver, signOf } from "../../../../src/composition/run/machine/run-sign.ts";
import type { RunRecord } from "../../../../src/model/runs/run-record.ts";
import type { Resource } from "../../../../src/composition/types.ts";

const resource = (apiVersion: string, kind: string, status: Record<string, unknown>, uid = "one"): Resource => ({
  ...{ apiVersion, kind, status, metadata: { name: "web", uid } },
});
const ec2 = (status: Record<string, unknown>, uid?: string): Resource =>
  resource("ec2.services.k8s.aws/v1alpha1", "Instance", status, uid);
const object: Resource = { apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata: { uid: "u" } };
const record = (given: Partial<RunRecord>): RunRecord => ({
  ...{ uid: "u", kind: "VmTemplate", namespace: "demo", name: "web", run: "", startedAt: 1000, end: null },
  ...{
    plan: planOf({ duration: "1h" }, 900),
    wasReady: true,
    machine: null,
    reported: null,
    pricePerHour: null,
    gramsCO2: null,
  },
  ...{ removedAt: null, ...given },
});

describe("a machine that no longer runs", () => {
  it.each([
    ["terminated on AWS", ec2({ state: { name: "terminated" } }), "terminated"],
    ["running on AWS", ec2({ state: { name: "running" } }), null],
    [
      "stopped by Google's limit",
      resource("compute.cnrm.cloud.google.com/v1beta1", "ComputeInstance", { currentStatus: "TERMINATED" }),
      "TERMINATED",
    ],
    ["off at Elemento", resource("elemento.landfall.dev/v1alpha1", "ElementoVm", { state: "off" }), "off"],
    ["of a kind that says nothing", resource("compute.azure.com/v1api20220301", "VirtualMachine", {}), null],
    ["of a foreign group", resource("ec2.example.org/v1", "Instance", { state: { name: "stopped" } }), null],
  ])("%s", (_what, machine, word) => {
    expect(machineOver(machine)).toBe(word);
  });

  it("ends its run, but not one that never was ready", () => {
    const stopped = [ec2({ state: { name: "stopped" } })];
    expect(signOf(object, record({}), stopped)).toEqual({ by: "provider", outcome: "unknown" });
    expect(signOf(object, record({ wasReady: false }), stopped)).toBeNull();
  });
});

describe("an instance that ACK created again, because the first one was terminated", () => {
  const first = ec2({ instanceID: "i-1", state: { name: "running" } });
  const machine = machineOf([first]);

  it("ends the run of the first one", () => {
    const again = ec2({ instanceID: "i-2", state: { name: "running" } });
    expect(machine).toEqual({ uid: "one", id: "i-1" });
    expect(signOf(object, record({ machine }), [again])).toEqual({ by: "provider", outcome: "unknown" });
  });

  it("is told from one that runs on, has no id yet, or belongs to a new resource", () => {
    for (const live of [first, ec2({}), ec2({ instanceID: "i-2" }, "two")])
      expect(signOf(object, record({ machine }), [live])).toBeNull();
  });
});
