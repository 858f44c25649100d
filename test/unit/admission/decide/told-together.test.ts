import { describe, expect, it } from "vitest";
import { decideAlone } from "../../../../src/admission/decide/decide.ts";
import type { Denial } from "../../../../src/model/decision.ts";
import { context, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const POOLS = [{ name: "main", count: 2, cpu: 2, memory: 8 }];

const denialsOf = (spec: Record<string, unknown>): Denial[] =>
  decideAlone({
    ...context(policy),
    kind: "KaasCluster",
    object: { ...vm({ nodePools: POOLS, ...spec }), kind: "KaasCluster" },
    operation: "CREATE",
  }).denials;

const told = (spec: Record<string, unknown>): string[] =>
  denialsOf(spec).map(({ code, field, remedy }) => `${code} ${String(field)}: ${remedy.split(" (")[0] ?? ""}`);

describe("what is wrong after a certain correction", () => {
  it("is told in the same line, without the correction that does not pass", () => {
    expect(denialsOf({ kubernetesVersion: 1.3 }).map(({ message }) => message)).toEqual([
      "spec.kubernetesVersion 1.3 is a number, and YAML drops a zero at its end, and once corrected, spec.kubernetesVersion 1.30: not offered by aws, azure, elemento, gcp",
    ]);
  });

  it("is told with it: a version in quotes that no provider offers", () => {
    expect(told({ kubernetesVersion: 1.3 })).toEqual([
      'POL_KUBERNETES_VERSION spec.kubernetesVersion: kubernetesVersion "1.35"',
    ]);
  });

  it("is told with it: one zone without its list, where AWS takes several", () => {
    expect(told({ provider: "aws", schedulingLocation: "eu-west-1", zones: "eu-west-1a" })).toEqual([
      "POL_ZONE spec.zones: zones [eu-west-1a, eu-west-1b]",
    ]);
  });

  it("names the zones of the region that the only zone is in", () => {
    const [zone] = denialsOf({ provider: "aws", zones: ["eu-west-1c"] });
    expect(zone?.message).toBe(
      "no region can have spec.zones [eu-west-1c]; aws takes 2 to 4 zones, such as eu-west-1a and eu-west-1b",
    );
    expect(zone?.remedy).toMatch(/^zones \[eu-west-1a, eu-west-1c\] \(aws\/eu-west-1\)/);
  });

  it("is told next to a correction that is one of several", () => {
    expect(told({ kubernetesVersion: "1.30", duration: "5" })).toEqual([
      "ADM_DURATION spec.duration: write 5h for hours or 5m for minutes",
      'POL_KUBERNETES_VERSION spec.kubernetesVersion: write kubernetesVersion "1.35", or use one of aws 1.35, 1.34; azure 1.35, 1.34; elemento 1.34; gcp 1.35, or omit kubernetesVersion',
    ]);
  });

  it("tells a size that the named type has", () => {
    const pools = [{ name: "main", count: 2, memory: 8 }];
    expect(told({ nodePools: pools, provider: "aws", poolInstanceTypes: { main: "m7i.large" } })).toEqual([
      "ADM_SCHEMA spec.nodePools[0].cpu: write cpu: 2, as m7i.large has",
    ]);
  });

  it("carries no patch of an object whose corrections are not certain", () => {
    const denials = denialsOf({ kubernetesVersion: "1.30", duration: "5" });
    expect(denials.map(({ patch }) => patch)).toEqual([undefined, undefined]);
  });

  it("is told next to a field that is only removed", () => {
    const pools = [{ name: "gpu", cpu: 6, memory: 112, gpu: 1, gpuType: "nvidia-v100", min: 3, max: 1 }];
    expect(told({ nodePools: pools })[1]).toBe("ADM_POOL_SIZE spec.nodePools[0]: write min: 1 and max: 3");
  });

  it("is told next to examples, and next to an item's field without a known correction", () => {
    const topology = { version: "v1.34.0", workers: { machineDeployments: [{ name: "md-0", replicas: 2 }] } };
    const [first] = denialsOf({ nodePools: undefined, provider: "gcp", topology });
    expect(first?.code).toBe("POL_KUBERNETES_ENDED");
    const labelled = [{ ...POOLS[0], count: "three", labels: { "kubernetes.io/role": "web" } }];
    expect(
      denialsOf({ kubernetesVersion: "1.33", provider: "aws", nodePools: labelled }).map(({ code }) => code),
    ).toEqual(["ADM_SCHEMA", "ADM_FIELDS", "POL_KUBERNETES_ENDED"]);
  });

  it("is nothing if the corrected object is allowed", () => {
    expect(told({ kubernetesVersion: "v1.35.2" })).toEqual([
      'ADM_SCHEMA spec.kubernetesVersion: write kubernetesVersion: "1.35"',
    ]);
  });
});

const toldOfMachine = (spec: Record<string, unknown>): string[] =>
  decideAlone({ ...context(policy), kind: "VmTemplate", object: vm(spec), operation: "CREATE" }).denials.map(
    ({ code, message, remedy }) => `${code} ${message}; ${remedy}`,
  );

describe("memory that was probably given in MiB", () => {
  it("is told next to another fault", () => {
    expect(toldOfMachine({ cpu: 2, memory: 2048, osDisk: { sizeGiB: 20, type: "pd-ssd" } })[1]).toBe(
      "ADM_MEMORY_LARGE spec.memory 2048 means 2048 GiB for 2 vCPU; if it is meant in MiB, write memory: 2",
    );
    expect(told({ nodePools: [{ name: "main", cpu: 4, memory: 16_384, size: 2 }] })).toContain(
      "ADM_MEMORY_LARGE spec.nodePools[0].memory: if it is meant in MiB, write memory: 16",
    );
  });

  it("is told with the name that the field has", () => {
    expect(toldOfMachine({ cpu: 8, mem: 32_768 })).toEqual([
      "ADM_SCHEMA spec.mem 32768 is not a field, and once corrected, spec.memory 32768 means 32768 GiB for 8 vCPU; write memory: 32768; if it is meant in MiB, write memory: 32",
    ]);
  });

  it("is not told of a size with a unit, nor where the number of CPUs is an example", () => {
    expect(toldOfMachine({ cpu: 2, memory: "2TB" })).toHaveLength(1);
    expect(toldOfMachine({ cpu: "many", memory: 2048 })).toHaveLength(1);
  });
});

describe("pools of another tool with a type", () => {
  const pools = [{ name: "ng-1", instanceType: "t3.medium", minSize: 1, maxSize: 4 }];

  it("get the size of the type, and both pass", () => {
    const [denial] = denialsOf({ nodePools: undefined, provider: "aws", nodeGroups: pools });
    expect(denial?.remedy).toBe(
      "write nodePools: [{name: ng1, min: 1, max: 4, cpu: 2, memory: 4}] and poolInstanceTypes: {ng1: t3.medium}; cpu and memory as t3.medium has",
    );
    const corrected = [{ name: "ng1", min: 1, max: 4, cpu: 2, memory: 4 }];
    expect(denialsOf({ provider: "aws", nodePools: corrected, poolInstanceTypes: { ng1: "t3.medium" } })).toEqual([]);
  });

  it("get another type for one that there is not", () => {
    const [denial] = denialsOf({ nodePools: undefined, nodeGroups: [{ ...pools[0], instanceType: "m5.large" }] });
    expect(denial?.remedy).toContain("poolInstanceTypes: {ng1: m5a.large}; cpu and memory as m5a.large has");
  });

  it("keep a size of their own, and examples without a known type", () => {
    const own = denialsOf({ nodePools: undefined, nodeGroups: [{ ...pools[0], cpu: 8, memory: 32 }] });
    expect(own[0]?.remedy).toContain("cpu: 8, memory: 32");
    const unknown = denialsOf({ nodePools: undefined, nodeGroups: [{ ...pools[0], instanceType: "huge" }] });
    expect(unknown[0]?.remedy).toContain("cpu and memory are examples");
  });

  it("are not all compared with the catalog where there are many", () => {
    const many = Array.from({ length: 60 }, (_one, index) => ({
      name: `p${String(index)}`,
      instanceType: `m5.unknown${String(index)}`,
    }));
    expect(denialsOf({ nodePools: undefined, nodeGroups: many })[0]?.remedy).toContain("are examples");
  });
});
