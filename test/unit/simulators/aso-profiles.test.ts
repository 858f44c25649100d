import { describe, expect, it } from "vitest";
import { aso } from "../../../src/local/simulators/aso/aso.ts";
import type { Resource } from "../../../src/local/simulators/types.ts";
import { lookupIn, made, resources, ruleOf } from "./resources.ts";

type Fields = Record<string, unknown>;

const CLUSTER = "ManagedCluster";
const first = (more: Fields = {}): Fields => ({
  ...{ name: "first", mode: "System", count: 1, enableAutoScaling: false, vmSize: "Standard_D2as_v5" },
  ...more,
});

function cluster(kubernetesVersion: string, agentPoolProfiles?: readonly Fields[]): Resource {
  const [found] = resources(`
apiVersion: containerservice.azure.com/v1api20240901
kind: ManagedCluster
metadata: {name: web}
`) as [Resource];
  return { ...found, spec: { kubernetesVersion, ...(agentPoolProfiles && { agentPoolProfiles }) } };
}

const [another] = resources(`
apiVersion: containerservice.azure.com/v1api20240901
kind: ManagedClustersAgentPool
metadata: {name: web-second}
spec: {azureName: second, orchestratorVersion: "1.34", owner: {name: web}}
status: {id: /subscriptions/s/agentPools/second}
`) as [Resource];

/** AKS's answer to a change of a cluster. */
function answer(before: Resource, after: Resource, others: readonly Resource[]): string | null {
  const { status } = made(aso, before);
  const refused = ruleOf(aso, CLUSTER).refuses?.({ ...after, ...(status && { status }) }, lookupIn([]), others);
  return refused?.code ?? null;
}

const NOT_ALL = "NotAllAgentPoolOrchestratorVersionSpecifiedAndUnchanged";
const OLD = first({ orchestratorVersion: "1.34" });
const NEW = first({ orchestratorVersion: "1.35" });

describe("the pools in the resource of an AKS cluster", () => {
  it.each<[string, Fields[] | undefined, string | null]>([
    ["none", undefined, null],
    ["no version", [first()], null],
    ["the version before of the first pool alone", [OLD], NOT_ALL],
    ["the new version of the first pool alone", [NEW], NOT_ALL],
    ["the versions before of all pools", [OLD, { ...OLD, name: "second" }], null],
    ["a version for one of two", [NEW, first({ name: "second" })], NOT_ALL],
  ])("with %s, an upgrade of a cluster with two pools", (_name, profiles, expected) => {
    expect(answer(cluster("1.34", [OLD]), cluster("1.35", profiles), [another])).toBe(expected);
  });

  it("may have the version of the only pool", () => {
    expect(answer(cluster("1.34", [OLD]), cluster("1.35", [OLD]), [])).toBeNull();
    expect(answer(cluster("1.34", [OLD]), cluster("1.35", [NEW]), [])).toBeNull();
    expect(answer(cluster("1.34", [OLD]), cluster("1.35", [first({ orchestratorVersion: "1.33" })]), [])).toBe(NOT_ALL);
  });

  it("are sent again each hour as they are", () => {
    expect(answer(cluster("1.34", [OLD]), cluster("1.34", [OLD]), [another])).toBeNull();
  });

  it("are wanted of a new cluster only, and stay where a request has none", () => {
    const refuses = ruleOf(aso, CLUSTER).refuses?.(cluster("1.34"), lookupIn([]));
    expect(refuses).toMatchObject({ code: "InvalidParameter", terminal: true });
    const before = made(aso, cluster("1.34", [first()]));
    const { status } = made(aso, { ...before, spec: cluster("1.34").spec });
    expect(status?.["agentPoolProfiles"]).toEqual([{ ...first(), orchestratorVersion: "1.34" }]);
  });

  it("keep their sizes", () => {
    const change = (more: Fields) => answer(cluster("1.34", [first()]), cluster("1.34", [first(more)]), []);
    expect(change({ vmSize: "Standard_D4as_v5" })).toBe("PropertyChangeNotAllowed");
    expect(change({ osDiskSizeGB: 128 })).toBe("PropertyChangeNotAllowed");
    expect(change({ count: 3 })).toBeNull();
  });
});
