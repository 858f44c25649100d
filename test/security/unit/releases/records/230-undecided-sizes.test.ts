import { describe, expect, it } from "vitest";
import { runningSizes, sizeLabels } from "../../../../../src/composition/record/running-sizes.ts";
import { withoutDecision } from "../../../../../src/model/decision-annotation/trusted.ts";

type Spec = Record<string, unknown>;

const AWS = { provider: "aws", schedulingLocation: "eu-south-1" };

/** What the record of an object of an emergency counts. */
function counted(kind: "VmTemplate" | "KaasCluster", spec: Spec) {
  const object = withoutDecision({ apiVersion: "v1", kind, metadata: { name: "a" }, spec });
  const revision = { secret: "v1", revision: 1, status: "deployed" as const, createdAt: 0, copy: "", release: {} };
  return runningSizes([{ ...revision, labels: sizeLabels(object) }])[0];
}

const machine = (instanceType: unknown, more: Spec = AWS) =>
  counted("VmTemplate", { cpu: 1, memory: 1, ...more, instanceType });

const pool = (more: Spec): Spec => ({ name: "main", cpu: 1, memory: 1, ...more });

describe("230: what was installed without a decision", () => {
  it("counts the machine type that it names, not what it asks for", () => {
    expect(machine("m7i.48xlarge")).toEqual({
      ...{ place: "aws/eu-south-1", vcpus: 192, memoryGiB: 768, pricePerHour: null },
    });
    expect(machine("neon", { provider: "elemento", schedulingLocation: "x" })).toMatchObject({
      vcpus: 2,
      memoryGiB: 2,
    });
  });

  it("counts what it asks for where that is more", () => {
    expect(machine("m7i.large", { ...AWS, cpu: 64, memory: 1 })).toMatchObject({ vcpus: 64, memoryGiB: 8 });
  });

  it.each(["u-24tb1.112xlarge-of-tomorrow", "constructor", "M7I.LARGE"])(
    "counts a type that is not known as the largest of its provider: %s",
    (type) => {
      const found = machine(type);
      const largest = machine("m7i.48xlarge");
      expect(found?.vcpus).toBeGreaterThanOrEqual(largest?.vcpus ?? Number.NaN);
      expect(found?.memoryGiB).toBeGreaterThan(largest?.memoryGiB ?? Number.NaN);
    },
  );

  it("counts as it asks where it names no type, or no provider of the catalog", () => {
    expect(machine(undefined)).toMatchObject({ vcpus: 1, memoryGiB: 1 });
    expect(machine("m7i.large", { ...AWS, provider: "constructor" })).toMatchObject({ vcpus: 1, memoryGiB: 1 });
  });

  it("counts the pools of a cluster at their largest, with the type of each", () => {
    const spec = {
      ...AWS,
      nodePools: [pool({ count: 3 }), pool({ name: "batch", min: 0, max: 10 }), pool({ name: "plain", count: 2 })],
      poolInstanceTypes: { main: "m7i.48xlarge", batch: "m7i.large" },
    };
    const [vcpus, memoryGiB] = [3 * 192 + 10 * 2 + 2, 3 * 768 + 10 * 8 + 2];
    expect(counted("KaasCluster", spec)).toMatchObject({ vcpus, memoryGiB });
  });

  it("counts the flavours of Elemento's pools", () => {
    const spec = {
      ...{ provider: "elemento", schedulingLocation: "x" },
      nodePools: [pool({ count: 2 })],
      poolInstanceTypes: { main: "kripton" },
    };
    expect(counted("KaasCluster", spec)).toMatchObject({ vcpus: 16, memoryGiB: 16 });
  });
});
