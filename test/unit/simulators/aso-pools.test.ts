import { describe, expect, it } from "vitest";
import { aso } from "../../../src/local/simulators/aso/aso.ts";
import { lookupIn, made, resources, ruleOf } from "./resources.ts";
import type { Resource } from "../../../src/local/simulators/types.ts";

type Fields = Record<string, unknown>;
type Kind = "ManagedCluster" | "ManagedClustersAgentPool";

/** A cluster with this first pool, or a pool on its own. */
function withPool(kind: Kind, pool: Fields): Resource {
  const [found] = resources(`
apiVersion: containerservice.azure.com/v1api20240901
kind: ${kind}
metadata: {name: web}
`) as [Resource];
  const own = { name: "a", mode: kind === "ManagedCluster" ? "System" : "User", ...pool };
  return { ...found, spec: kind === "ManagedCluster" ? { agentPoolProfiles: [own] } : own };
}

/** AKS's refusal of a pool, perhaps of one that has been like `before`. */
function refusal(kind: Kind, pool: Fields, before?: Fields): string | null {
  const resource = withPool(kind, pool);
  const { status } = before === undefined ? resource : made(aso, withPool(kind, before));
  const found = ruleOf(aso, kind).refuses?.({ ...resource, ...(status && { status }) }, () => undefined) ?? null;
  expect(found?.terminal ?? true).toBe(true);
  return found && `${found.code}: ${found.message}`;
}

const MISSING = "InvalidParameter: Required parameter properties.count is missing (null).";
const SCALES = { enableAutoScaling: true, minCount: 1, maxCount: 3 };
const FIXED = { enableAutoScaling: false, count: 1 };

describe.each(["ManagedCluster", "ManagedClustersAgentPool"] as const)("a pool of a %s", (kind) => {
  it("needs a number of nodes, until AKS scales it", () => {
    expect(refusal(kind, SCALES)).toBe(MISSING);
    expect(refusal(kind, { ...SCALES, count: 1 })).toBeNull();
    expect(refusal(kind, SCALES, { ...SCALES, count: 1 })).toBeNull();
    expect(refusal(kind, SCALES, FIXED)).toBe(MISSING);
    expect(refusal(kind, { enableAutoScaling: false }, { ...SCALES, count: 1 })).toBe(MISSING);
  });

  it("has no labels and taints that AKS keeps for itself", () => {
    expect(refusal(kind, { ...FIXED, nodeLabels: { team: "a" }, nodeTaints: ["team=a:PreferNoSchedule"] })).toBeNull();
    expect(refusal(kind, { ...FIXED, nodeLabels: { "kubernetes.azure.com/mode": "user" } })).toContain("reserved");
    expect(refusal(kind, { ...FIXED, nodeLabels: { agentpool: "a" } })).toContain("agentpool is reserved");
    expect(refusal(kind, { ...FIXED, nodeTaints: ["kubernetes.azure.com/mode=x:PreferNoSchedule"] })).toContain(
      "reserved",
    );
  });

  it.each([
    ["Standard_D2as_v5", null],
    ["Standard_B2s_v2", null],
    ["Standard_D16as_v5", null],
    ["Standard_F1als_v7", "BadRequest"],
    ["Standard_B2ts_v2", "BadRequest"],
    ["Standard_B2ats_v2", "BadRequest"],
  ])("of nodes %s", (vmSize, code) => {
    expect(refusal(kind, { ...FIXED, vmSize })?.split(":")[0] ?? null).toBe(code);
  });

  it("has no number of nodes outside of its limits", () => {
    const text = (count: number) =>
      `InvalidParameter: agentPoolProfile.count was ${count}. It must be greater or equal to minCount:1 and less than or equal to maxCount:3.`;
    expect(refusal(kind, { ...SCALES, count: 0 })).toBe(text(0));
    expect(refusal(kind, { ...SCALES, count: 4 })).toBe(text(4));
  });

  it("keeps its number of nodes where the request has none", () => {
    const before = made(aso, withPool(kind, { ...SCALES, count: 2 }));
    const { status } = made(aso, { ...before, spec: withPool(kind, SCALES).spec });
    const pools = kind === "ManagedCluster" ? status?.["agentPoolProfiles"] : [status];
    expect(pools).toMatchObject([{ count: 2, enableAutoScaling: true }]);
  });
});

it("of a new resource is the one with which its cluster was made", () => {
  const owner = made(aso, withPool("ManagedCluster", { ...SCALES, count: 2 }));
  const own = withPool("ManagedClustersAgentPool", { ...SCALES, azureName: "a", owner: { name: "web" } });
  const rule = ruleOf(aso, "ManagedClustersAgentPool");
  expect(rule.refuses?.(own, lookupIn([owner]))).toBeNull();
  expect(rule.refuses?.({ ...own, spec: { ...own.spec, azureName: "b" } }, lookupIn([owner]))).toMatchObject({
    code: "InvalidParameter",
  });
  expect(made(aso, own, [owner]).status).toMatchObject({ count: 2 });
});

it("has a node at least in the system pool, and none in another", () => {
  const none = { count: 0, enableAutoScaling: true, minCount: 0, maxCount: 3 };
  expect(refusal("ManagedCluster", none)).toContain(
    "agentPoolProfile.count was 0. It must be greater or equal to minCount:1",
  );
  expect(refusal("ManagedCluster", { enableAutoScaling: false, count: 0 })).toContain("agentPoolProfile.count was 0");
  expect(refusal("ManagedClustersAgentPool", none)).toBeNull();
  expect(refusal("ManagedClustersAgentPool", { enableAutoScaling: false, count: 0 })).toBeNull();
});

describe("the networks of a cluster", () => {
  const cluster = resources(`
apiVersion: containerservice.azure.com/v1api20240901
kind: ManagedCluster
metadata: {name: web, namespace: demo}
spec: {networkProfile: {podCidr: 10.240.100.0/22}}
---
apiVersion: network.azure.com/v1api20240301
kind: VirtualNetworksSubnet
metadata: {name: web-subnet, namespace: demo}
spec: {addressPrefix: 192.168.0.0/29}
`);
  const answer = (pool: Fields, status?: Fields): string | null => {
    const { spec, ...rest } = withPool("ManagedClustersAgentPool", { owner: { name: "web" }, ...pool });
    const resource = {
      ...rest,
      metadata: { ...rest.metadata, name: "a", namespace: "demo" },
      spec,
      ...(status && { status }),
    };
    const found = ruleOf(aso, "ManagedClustersAgentPool").refuses?.(resource, lookupIn(cluster)) ?? null;
    return found && `${found.code}: ${found.message.split(" If ")[0] ?? ""}`;
  };

  it("need addresses for the pods of the most nodes of a pool", () => {
    expect(answer({ ...FIXED, count: 4 })).toBeNull();
    expect(answer({ ...SCALES, count: 1, maxCount: 5 })).toBe(
      "InsufficientSubnetSize: Pre-allocated IPs 1280 exceeds IPs available 1024 in Subnet Cidr 10.240.100.0/22, Subnet Name networkProfile.podCIDR.",
    );
  });

  it("need addresses for the nodes that an upgrade adds", () => {
    const status = { count: 4, currentOrchestratorVersion: "1.34.2" };
    expect(answer({ ...FIXED, count: 4, orchestratorVersion: "1.34" }, status)).toBeNull();
    expect(answer({ ...FIXED, count: 4, orchestratorVersion: "1.35" }, status)).toContain("Pre-allocated IPs 1280");
    expect(answer({ ...FIXED, count: 3, orchestratorVersion: "1.35" }, status)).toBeNull();
  });

  it("need addresses for the nodes themselves, five of which Azure keeps", () => {
    const vnetSubnetReference = { group: "network.azure.com", kind: "VirtualNetworksSubnet", name: "web-subnet" };
    expect(answer({ ...FIXED, count: 3, vnetSubnetReference })).toBeNull();
    expect(answer({ ...FIXED, count: 4, vnetSubnetReference })).toContain(
      "Pre-allocated IPs 4 exceeds IPs available 3 in Subnet Cidr 192.168.0.0/29, Subnet Name web-subnet.",
    );
  });
});
