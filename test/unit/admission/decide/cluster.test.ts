import { createColors } from "picocolors";
import { describe, expect, it } from "vitest";
import { placementLines } from "../../../../src/cli/output/placement-lines.ts";
import { admit } from "../../../../src/admission/admit.ts";
import { decideAlone } from "../../../../src/admission/decide/decide.ts";
import { guard } from "../../../../src/admission/guard.ts";
import type { Outcome } from "../../../../src/admission/types.ts";
import type { CompactDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import type { Decision } from "../../../../src/model/decision.ts";
import { context, NOW, patched, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

type Spec = Record<string, unknown>;

const policy = await loadPolicy();
const system = { name: "system", count: 2, cpu: 2, memory: 8 };
const batch = { name: "batch", min: 0, max: 10, cpu: 8, memory: 64 };

const cluster = (spec: Spec, metadata: Partial<WorkloadObject["metadata"]> = {}): WorkloadObject => ({
  ...vm(spec, metadata),
  kind: "KaasCluster",
});

const explain = (spec: Spec): Decision =>
  decideAlone({ ...context(policy), kind: "KaasCluster", object: cluster(spec), operation: "CREATE" });

const codes = (outcome: Outcome): string[] => (outcome.allowed ? [] : outcome.codes);

function admitted(spec: Spec): WorkloadObject {
  const object = cluster(spec);
  return patched(
    object,
    admit({ uid: "1", operation: "CREATE", kind: "KaasCluster", object, oldObject: null }, context(policy)),
  );
}

const change = (oldObject: WorkloadObject, spec: Spec): Outcome =>
  admit(
    { uid: "2", operation: "UPDATE", kind: "KaasCluster", object: { ...oldObject, spec }, oldObject },
    context(policy, NOW + 60),
  );

describe("a new cluster", () => {
  it("gets a place, a version, zones and a type for every pool", () => {
    const { spec } = admitted({ provider: "aws", nodePools: [system, batch] });
    expect(spec).toMatchObject({
      schedulingLocation: expect.stringMatching(/^[a-z]+-[a-z]+-\d$/) as string,
      kubernetesVersion: "1.35",
      zones: [expect.stringMatching(/a$/), expect.stringMatching(/b$/)],
      poolInstanceTypes: { system: expect.stringMatching(/large$/) as string, batch: expect.any(String) as string },
    });
    expect(spec).not.toHaveProperty("instanceType");
    expect(spec).not.toHaveProperty("image");
  });

  it("of 100 pools keeps its machine types in a decision that leaves out reasons and alternatives", () => {
    const pools = Array.from({ length: 100 }, (_, index) => ({ ...batch, name: `p${String(index)}` }));
    const network = { podCidr: "10.64.0.0/13" };
    const { metadata, spec } = admitted({ provider: "azure", network, nodePools: [system, ...pools.slice(1)] });
    const text = metadata.annotations?.[ANNOTATION.decision] ?? "";
    const decision = JSON.parse(text) as CompactDecision;
    expect(decision).toMatchObject({ why: [], alternatives: [] });
    expect(decision.placement.cluster?.poolInstanceTypes).toEqual(spec?.["poolInstanceTypes"]);
    expect(Buffer.byteLength(text)).toBeLessThan(4.5 * 1024);
  });

  it("is priced by the middle of its pools' limits", () => {
    const one = explain({ provider: "gcp", schedulingLocation: "europe-west4", nodePools: [{ ...system, count: 1 }] });
    const scaled = explain({
      provider: "gcp",
      schedulingLocation: "europe-west4",
      nodePools: [{ name: "system", min: 2, max: 5, cpu: 2, memory: 8 }],
    });
    expect(scaled.placement?.cluster?.nodes).toBe(3.5);
    expect(scaled.placement?.pricePerHour).toBeCloseTo((one.placement?.pricePerHour ?? 0) * 3.5, 5);
    expect(scaled.placement?.gramsCO2).toBeCloseTo((one.placement?.gramsCO2 ?? 0) * 3.5, 0);
  });

  it("is decided once: a second admission makes no patch, and the guard allows it", () => {
    const object = admitted({ nodePools: [system, batch] });
    const again = admit(
      { uid: "1", operation: "CREATE", kind: "KaasCluster", object, oldObject: null },
      context(policy),
    );
    expect(again).toMatchObject({ allowed: true, patch: [] });
    expect(
      guard({ uid: "1", operation: "CREATE", kind: "KaasCluster", object, oldObject: null }, context(policy)).allowed,
    ).toBe(true);
  });

  it("cannot have a forged type", () => {
    const object = admitted({ nodePools: [system, batch] });
    const spec = { ...object.spec, poolInstanceTypes: { system: "x", batch: "y" } };
    const forged = { ...object, spec };
    const answer = guard(
      { uid: "1", operation: "CREATE", kind: "KaasCluster", object: forged, oldObject: null },
      context(policy),
    );
    expect(codes(answer)).toEqual(["ADM_DECIDED_FIELD"]);
  });
});

describe("problems of a cluster", () => {
  it.each<[string, Spec, string, string]>([
    ["two pools of one name", { nodePools: [system, system] }, "ADM_POOL_TWICE", "system"],
    ["max below min", { nodePools: [{ ...batch, min: 4, max: 3 }] }, "ADM_POOL_SIZE", "max 3 below min 4"],
    ["count and max", { nodePools: [{ ...batch, count: 3 }] }, "ADM_POOL_SIZE", "a count as well"],
    ["min alone", { nodePools: [{ name: "a", min: 1, cpu: 1, memory: 1 }] }, "ADM_POOL_SIZE", "no max"],
    [
      "networks that overlap",
      { nodePools: [system], network: { nodeCidr: "10.8.0.0/16", podCidr: "10.0.0.0/12" } },
      "ADM_CIDR_OVERLAP",
      "spec.network.podCidr 10.0.0.0/12 overlaps spec.network.nodeCidr 10.8.0.0/16",
    ],
    [
      "a network that overlaps a default",
      { nodePools: [system], network: { podCidr: "10.0.0.0/12" } },
      "ADM_CIDR_OVERLAP",
      "overlaps spec.network.nodeCidr 10.0.0.0/16 (the default)",
    ],
    [
      "a network that is too small for the nodes",
      { nodePools: [{ ...batch, max: 100 }], network: { nodeCidr: "192.168.0.0/26" } },
      "ADM_CIDR_SMALL",
      "too small for 100 nodes",
    ],
    [
      "a network that is too small for the pods",
      { nodePools: [{ ...batch, max: 100 }], network: { podCidr: "192.168.0.0/20" } },
      "ADM_CIDR_SMALL",
      "spec.network.podCidr",
    ],
    [
      "no network",
      { nodePools: [system], network: { nodeCidr: "10.0.0.1/16" } },
      "ADM_FIELDS",
      "10.0.0.1/16 is an address in a network, and not the network",
    ],
    [
      "types for some pools",
      { nodePools: [system, batch], poolInstanceTypes: { system: "m7i.large" } },
      "ADM_POOL_TYPES",
      "no type for pool batch",
    ],
    [
      "types for no pool",
      { nodePools: [system], poolInstanceTypes: { system: "m7i.large", web: "m7i.large" } },
      "ADM_POOL_TYPES",
      "names pool web",
    ],
    [
      "an unknown type",
      { provider: "elemento", nodePools: [{ ...system, memory: 2 }], poolInstanceTypes: { system: "xenon" } },
      "POL_INSTANCE_TYPE",
      "xenon",
    ],
    ["a version that nobody has", { nodePools: [system], kubernetesVersion: "1.20" }, "POL_KUBERNETES_VERSION", "1.20"],
    [
      "a version without support",
      { provider: "gcp", nodePools: [system], kubernetesVersion: "1.33" },
      "POL_KUBERNETES_ENDED",
      "2026-08-03",
    ],
    [
      "more pools than EKS takes",
      { provider: "aws", nodePools: Array.from({ length: 31 }, (_, n) => ({ ...system, name: `p${String(n)}` })) },
      "POL_POOLS",
      "aws allows 30 pools",
    ],
    [
      "more nodes than Elemento takes",
      { provider: "elemento", nodePools: [{ ...system, memory: 2, count: 101 }] },
      "POL_POOL_NODES",
      "101",
    ],
    [
      "a first pool on Azure without nodes",
      { provider: "azure", nodePools: [batch] },
      "POL_POOL_EMPTY",
      "azure needs 1 node in pool batch",
    ],
    [
      "GPUs on Elemento",
      { provider: "elemento", nodePools: [{ ...system, memory: 2, gpu: 1 }] },
      "POL_GPU",
      "pool system requests 1 GPU",
    ],
    [
      "a pool that fits nowhere",
      { nodePools: [system, { ...batch, memory: 64_000 }] },
      "PLACEMENT_NONE",
      "pool batch (8 vCPU, 64000 GiB)",
    ],
    [
      "a region that lacks the size",
      { provider: "elemento", schedulingLocation: "ovh-fr-paris", nodePools: [{ ...system, memory: 64 }] },
      "POL_FLAVOUR",
      "pool system",
    ],
    [
      "a taint on AKS's first pool that keeps AKS's own services away",
      {
        ...{ provider: "azure", schedulingLocation: "westeurope" },
        nodePools: [{ ...system, taints: [{ key: "dedicated", value: "x", effect: "NoSchedule" }] }, batch],
      },
      "POL_FEATURE",
      "its own services run on the first pool",
    ],
    [
      "pods' networks on AWS",
      { provider: "aws", nodePools: [system], network: { podCidr: "10.64.0.0/14" } },
      "POL_FEATURE",
      "addresses of the nodes' network",
    ],
    [
      "zones that a region has not",
      { provider: "azure", schedulingLocation: "westcentralus", highAvailability: true, nodePools: [system] },
      "POL_ZONE",
      "westcentralus",
    ],
  ])("%s", (_name, spec, code, text) => {
    const decision = explain(spec);
    const [first] = decision.denials;
    expect(decision.allowed).toBe(false);
    expect(first?.code).toBe(code);
    expect(first?.message).toContain(text);
    expect(first?.remedy).toMatch(/\w/);
  });

  it.each([
    ["1", { count: 1 }, "1 node expected: "],
    ["2", { count: 2 }, "2 nodes expected: "],
    ["5, the middle,", { min: 0, max: 10 }, "5 nodes expected, the middle of min and max: "],
  ])("none: %s of its nodes are counted in words", (_nodes, size, text) => {
    const { placement } = explain({ provider: "gcp", nodePools: [{ name: "a", cpu: 2, memory: 8, ...size }] });
    expect(placement).not.toBeNull();
    if (placement !== null) expect(placementLines(placement, NOW, createColors(false)).join("\n")).toContain(text);
  });

  it("are reported with a change that passes, if there is one", () => {
    const { denials } = explain({ provider: "gcp", nodePools: [system], kubernetesVersion: "1.33" });
    expect(denials[0]?.patch).toEqual([{ op: "replace", path: "/spec/kubernetesVersion", value: "1.35" }]);
    expect(denials[0]?.remedy).toMatch(/^kubernetesVersion "1\.35" \(gcp\/\S+\), or no kubernetesVersion \(/);
  });
});

describe("an installed cluster of EKS", () => {
  const pool = { name: "system", cpu: 2, memory: 8 };
  const asked = (nodes: Spec): string[] => {
    const old = admitted({ provider: "aws", nodePools: [{ ...pool, min: 2, max: 10 }] });
    return codes(change(old, { ...old.spec, nodePools: [{ ...pool, ...nodes }] }));
  };

  // ACK sends the number of nodes that there are, which Landfall does not see, beside the limits.
  it.each<[string, Spec, boolean]>([
    ["a larger max", { min: 2, max: 20 }, true],
    ["a smaller min", { max: 10 }, true],
    ["a count, which the nodes then have", { count: 4 }, true],
    ["a larger min", { min: 3, max: 10 }, false],
    ["a smaller max", { min: 2, max: 9 }, false],
    ["limits elsewhere", { min: 12, max: 20 }, false],
  ])("takes %s: %o %s", (_name, nodes, isTaken) => {
    expect(asked(nodes)).toEqual(isTaken ? [] : ["ADM_POOL_LIMITS"]);
  });

  it("gets limits around its count, and says which to write first", () => {
    const old = admitted({ provider: "aws", nodePools: [{ ...pool, count: 4 }] });
    const limits = (nodes: Spec) => change(old, { ...old.spec, nodePools: [{ ...pool, ...nodes }] });
    expect(codes(limits({ min: 4, max: 10 }))).toEqual([]);
    expect(codes(limits({ count: 40 }))).toEqual([]);
    expect(codes(limits({ min: 5, max: 10 }))).toEqual(["ADM_POOL_LIMITS"]);
    const outcome = limits({ min: 1, max: 3 });
    expect(outcome.allowed ? "" : outcome.message).toContain("write count: 3 in place of min and max");
  });
});

describe("taints of an installed cluster", () => {
  type Taint = readonly [key: string, value: string, effect: string];
  const pool = (taints: readonly Taint[]): Spec => ({
    ...batch,
    taints: taints.map(([key, value, effect]) => ({ key, value, effect })),
  });
  const asked = (provider: string, before: readonly Taint[], after: readonly Taint[]): Outcome => {
    const old = admitted({ provider, nodePools: [system, pool(before)] });
    return change(old, { ...old.spec, nodePools: [system, pool(after)] });
  };
  const [schedule, execute]: [Taint, Taint] = [
    ["x", "y", "NoSchedule"],
    ["x", "y", "NoExecute"],
  ];
  const other: Taint = ["z", "y", "NoSchedule"];

  // ACK removes taints by their keys, and EKS has them by key and effect.
  it.each<[string, Taint[], Taint[], boolean]>([
    ["another effect", [schedule], [execute], false],
    ["one of two with a key removed", [schedule, execute], [execute], false],
    ["another effect beside others", [other, schedule], [execute, other], false],
    ["another effect and value", [schedule], [["x", "", "NoExecute"]], false],
    ["a second effect", [schedule], [schedule, execute], true],
    ["another value", [schedule], [["x", "other", "NoSchedule"]], true],
    ["none of a key", [schedule, execute, other], [other], true],
    ["others in their place", [schedule], [other], true],
    ["none", [schedule], [], true],
  ])("become %s: %j, %j, on EKS %j", (_name, before, after, isTaken) => {
    expect(codes(asked("aws", before, after))).toEqual(isTaken ? [] : ["ADM_POOL_TAINTS"]);
    for (const provider of ["azure", "gcp"]) expect(codes(asked(provider, before, after))).toEqual([]);
  });

  it("are denied on EKS with what to do, which passes", () => {
    const outcome = asked("aws", [other, schedule], [other, execute]);
    expect(outcome.allowed ? "" : outcome.message).toContain(
      "remove all taints with the key x, wait until the cluster is Ready, then add those that you want",
    );
    expect(codes(asked("aws", [other, schedule], [other]))).toEqual([]);
    expect(codes(asked("aws", [other], [other, execute]))).toEqual([]);
  });
});

describe("an installed cluster", () => {
  const installed = admitted({ provider: "azure", nodePools: [system, batch] });
  const spec = installed.spec ?? {};

  it("of AKS gets no taint on its first pool that keeps AKS's own services away", () => {
    const taints = (key: string, effect: string): Spec[] => [{ key, value: "x", effect }];
    const first = (key: string, effect: string): Outcome =>
      change(installed, { ...spec, nodePools: [{ ...system, taints: taints(key, effect) }, batch] });
    expect(codes(first("dedicated", "NoSchedule"))).toEqual(["POL_FEATURE"]);
    expect(codes(first("dedicated", "PreferNoSchedule"))).toEqual([]);
    expect(codes(first("CriticalAddonsOnly", "NoSchedule"))).toEqual([]);
    const second = [system, { ...batch, taints: taints("dedicated", "NoExecute") }];
    expect(codes(change(installed, { ...spec, nodePools: second }))).toEqual([]);
  });
  const types = spec["poolInstanceTypes"] as Record<string, string>;

  it.each<[string, Spec[], Record<string, string>]>([
    ["takes another pool", [system, batch, { name: "web", count: 3, cpu: 4, memory: 16 }], { ...types, web: "" }],
    ["loses a pool", [system], { system: types["system"] ?? "" }],
    [
      "scales a pool",
      [
        { ...system, count: 5 },
        { ...batch, max: 20 },
      ],
      types,
    ],
    ["lets a pool scale by itself", [{ name: "system", min: 1, max: 3, cpu: 2, memory: 8 }, batch], types],
    ["labels a pool", [{ ...system, labels: { a: "b" } }, batch], types],
  ])("%s in place", (_name, nodePools, expected) => {
    const { schedulingLocation, poolInstanceTypes, kubernetesVersion, ...user } = spec;
    const after = patched(
      { ...installed, spec: { ...spec, nodePools } },
      change(installed, { ...spec, nodePools }),
    ).spec;
    expect(after).toMatchObject({ schedulingLocation, kubernetesVersion });
    expect(Object.keys(after?.["poolInstanceTypes"] as object).sort()).toEqual(Object.keys(expected).sort());
    for (const [pool, type] of Object.entries(poolInstanceTypes as Record<string, string>)) {
      if (pool in expected) expect(after?.["poolInstanceTypes"]).toHaveProperty(pool, type);
    }
    // As a pipeline applies it again: without what admission wrote.
    const applied = patched(
      { ...installed, spec: { ...user, nodePools } },
      change(installed, { ...user, nodePools }),
    ).spec;
    expect(applied?.["poolInstanceTypes"]).toEqual(after?.["poolInstanceTypes"]);
  });

  it.each<[string, Spec, string]>([
    ["smaller nodes", { nodePools: [system, { ...batch, memory: 60 }] }, "ADM_POOL_FIXED"],
    ["larger nodes", { nodePools: [system, { ...batch, memory: 512 }] }, "ADM_POOL_FIXED"],
    ["another disk", { nodePools: [system, { ...batch, diskGiB: 200 }] }, "ADM_POOL_FIXED"],
    ["another first pool", { nodePools: [batch, system] }, "ADM_POOL_FIRST"],
    ["no first pool", { nodePools: [{ ...batch, min: 1 }] }, "ADM_POOL_FIRST"],
    ["no nodes in the first pool", { nodePools: [{ ...system, count: 0 }, batch] }, "POL_POOL_EMPTY"],
    ["no pools", { nodePools: [] }, "ADM_SCHEMA"],
    ["an older version", { kubernetesVersion: "1.34" }, "ADM_DOWNGRADE"],
    ["two minors at once", { kubernetesVersion: "1.37" }, "ADM_UPGRADE_STEP"],
    ["other networks", { network: { nodeCidr: "10.32.0.0/16" } }, "ADM_IMMUTABLE"],
    ["several zones", { highAvailability: true }, "ADM_IMMUTABLE"],
    ["another region", { schedulingLocation: "westeurope" }, "ADM_MOVE"],
    ["another type", { poolInstanceTypes: { ...types, batch: "Standard_E16s_v5" } }, "ADM_POOL_FIXED"],
  ])("cannot get %s", (_name, changed, code) => {
    const outcome = change(installed, { ...spec, ...changed });
    expect(codes(outcome)).toContain(code);
  });

  describe("whose pool is renamed", () => {
    const renamed = { ...spec, nodePools: [system, { ...batch, name: "jobs" }] };
    const { poolInstanceTypes: _types, ...applied } = renamed as Spec;

    it.each<[string, Spec]>([
      ["the same pool under another name", applied],
      [
        "another pool in its position",
        { ...applied, nodePools: [system, { name: "jobs", count: 1, cpu: 2, memory: 8 }] },
      ],
    ])("is denied: %s", (_name, next) => {
      const outcome = change(installed, next);
      expect(codes(outcome)).toEqual(["ADM_POOL_RENAMED"]);
      expect(outcome.allowed ? "" : outcome.message).toContain(
        "spec.nodePools[1].name: pool batch is gone and pool jobs takes its place: all nodes of batch are deleted; write name: batch " +
          "to keep them, or announce it with the annotation landfall.dev/rename-pool: batch=jobs",
      );
    });

    it.each(["batch=jobs", "a=b, batch = jobs"])("is replaced if that is announced: %s", (value) => {
      const annotations = { ...installed.metadata.annotations, "landfall.dev/rename-pool": value };
      const announced = { ...installed, metadata: { ...installed.metadata, annotations } };
      expect(change(announced, applied)).toMatchObject({ allowed: true });
    });

    it("is denied if another renaming is announced", () => {
      const annotations = { ...installed.metadata.annotations, "landfall.dev/rename-pool": "batch=other" };
      const announced = { ...installed, metadata: { ...installed.metadata, annotations } };
      expect(codes(change(announced, applied))).toEqual(["ADM_POOL_RENAMED"]);
    });
  });

  it("is upgraded by one minor version", () => {
    const old = admitted({ provider: "aws", kubernetesVersion: "1.34", nodePools: [system] });
    const next = { ...old.spec, kubernetesVersion: "1.35" };
    expect(patched({ ...old, spec: next }, change(old, next)).spec).toMatchObject({ kubernetesVersion: "1.35" });
  });

  it("keeps a version that its user no longer sets", () => {
    const old = admitted({ provider: "aws", kubernetesVersion: "1.34", nodePools: [system] });
    const { kubernetesVersion: _dropped, ...next } = old.spec ?? {};
    const after = patched({ ...old, spec: next }, change(old, next)).spec;
    expect(after).toMatchObject({ kubernetesVersion: "1.34" });
  });

  it("cannot change on Elemento", () => {
    const old = admitted({ provider: "elemento", nodePools: [{ ...system, memory: 2 }] });
    const next = { ...old.spec, nodePools: [{ ...system, memory: 2, count: 3 }] };
    expect(codes(change(old, next))).toEqual(["ADM_CLUSTER_FIXED"]);
  });
});
