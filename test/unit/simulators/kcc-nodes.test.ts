import { expect, it } from "vitest";
import { kcc } from "../../../src/local/simulators/kcc/kcc.ts";
import { SCALES } from "../../../src/local/simulators/kcc/kcc-nodes.ts";
import { NODES } from "../../../src/local/simulators/pool-versions.ts";
import type { Resource } from "../../../src/local/simulators/types.ts";
import { lookupIn, resources, ruleOf } from "./resources.ts";

const rule = ruleOf(kcc, "ContainerNodePool");

function pool(spec: string, annotations: Readonly<Record<string, string>> = {}): Resource {
  const [resource] = resources(`
apiVersion: container.cnrm.cloud.google.com/v1beta1
kind: ContainerNodePool
metadata: {name: pool, annotations: ${JSON.stringify(annotations)}}
spec: {clusterRef: {name: web}, ${spec}}
`) as [Resource];
  return resource;
}

/** The nodes after each of these specs, one after the other. */
function nodesAfter(specs: readonly string[], location: string): string[] {
  let had: Record<string, string> = {};
  return specs.map((spec) => {
    const found = Object.entries(rule.remembers?.(pool(`location: ${location}, ${spec}`, had)) ?? {});
    had = { ...had, ...Object.fromEntries(found.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))) };
    return had[NODES] ?? "";
  });
}

it.each<[string, string, readonly string[], readonly string[]]>([
  ["a count", "europe-west1-b", ["nodeCount: 3", "nodeCount: 5"], ["3", "5"]],
  ["a count in each zone", "europe-west1", ["nodeCount: 1", "nodeCount: 2"], ["3", "6"]],
  ["a count in named zones", "europe-west1", ["nodeCount: 2, nodeLocations: [europe-west1-b, europe-west1-c]"], ["4"]],
  ["limits alone", "europe-west1-b", ["autoscaling: {minNodeCount: 2, maxNodeCount: 5}"], ["0"]],
  [
    "a raised minimum",
    "europe-west1",
    [
      "initialNodeCount: 1, autoscaling: {totalMinNodeCount: 3, totalMaxNodeCount: 3}",
      "initialNodeCount: 1, autoscaling: {totalMinNodeCount: 6, totalMaxNodeCount: 6}",
    ],
    ["3", "3"],
  ],
  [
    "a count beside limits, and after them",
    "europe-west1-b",
    [
      "initialNodeCount: 1, autoscaling: {minNodeCount: 1, maxNodeCount: 3}",
      "autoscaling: {minNodeCount: 1, maxNodeCount: 3}, nodeCount: 3",
      "nodeCount: 3",
    ],
    ["1", "1", "1"],
  ],
  [
    "limits after a count",
    "europe-west1-b",
    ["nodeCount: 2", "autoscaling: {minNodeCount: 3, maxNodeCount: 5}"],
    ["2", "2"],
  ],
])("a pool of GKE with %s in %s: %j gives %j nodes", (_name, location, specs, expected) => {
  expect(nodesAfter(specs, location)).toEqual(expected);
});

it("remembers that a pool scales", () => {
  expect(rule.remembers?.(pool("location: a-b, autoscaling: {maxNodeCount: 3}"))).toMatchObject({ [SCALES]: "true" });
  expect(rule.remembers?.(pool("location: a-b, nodeCount: 1"))).toMatchObject({ [SCALES]: null });
});

it("takes one first number, and no other later", () => {
  const both = "location: a-b, initialNodeCount: 1, nodeCount: 2";
  expect(rule.refuses?.(pool(both), lookupIn([]))?.message).toBe(
    "Cannot set both initial_node_count and node_count on node pool pool",
  );
  expect(rule.refuses?.(pool(both, { [NODES]: "1" }), lookupIn([]))).toBeNull();
  expect(rule.immutable).toContain("initialNodeCount");
});

it("has a group of instances in each zone, and shows no number of nodes", () => {
  const status = (location: string) => rule.status(pool(`location: ${location}, nodeCount: 2`), lookupIn([]));
  expect(status("europe-west1")["instanceGroupUrls"]).toHaveLength(3);
  expect(status("europe-west1-b")["instanceGroupUrls"]).toHaveLength(1);
  expect(JSON.stringify(status("europe-west1-b"))).not.toContain("ount");
});

it.each([
  ["cloud.google.com/gke-nodepool", true],
  ["cloud.google.com/gke-smt-disabled", false],
  ["team", false],
])("answers to a pool with the label %s", (key, isRefused) => {
  const labelled = pool(`location: europe-west1-b, nodeCount: 1, nodeConfig: {labels: {${key}: a}}`);
  const message = rule.refuses?.(labelled, lookupIn([]))?.message ?? "";
  expect(message.includes("must not be manually specified")).toBe(isRefused);
});

it.each<[string, string, string, boolean]>([
  ["nodes without addresses for their pods", "10.0.0.0/24", "version: 1.34.1-gke.100, nodeCount: 5", true],
  ["nodes with addresses for their pods", "10.0.0.0/24", "version: 1.34.1-gke.100, nodeCount: 4", false],
  ["the node that an upgrade adds", "10.0.0.0/24", "version: 1.35.0-gke.100, nodeCount: 4", true],
  ["no node, since the pool is empty", "10.0.0.0/24", "version: 1.35.0-gke.100, nodeCount: 0", false],
  ["nodes without addresses of their own", "10.0.0.0/29", "version: 1.35.0-gke.100, nodeCount: 4", true],
])("a network is exhausted by: %s", (_is, nodes, spec, isRefused) => {
  const known = resources(`
apiVersion: container.cnrm.cloud.google.com/v1beta1
kind: ContainerCluster
metadata: {name: web}
spec: {subnetworkRef: {name: web-subnet}, ipAllocationPolicy: {clusterSecondaryRangeName: pods}}
---
apiVersion: compute.cnrm.cloud.google.com/v1beta1
kind: ComputeSubnetwork
metadata: {name: web-subnet}
spec: {ipCidrRange: ${nodes}, secondaryIpRange: [{rangeName: pods, ipCidrRange: 10.128.0.0/22}]}
`);
  const had = pool(`location: europe-west1-b, ${spec}`, { [NODES]: "3" });
  const resource = { ...had, status: { observedState: { version: "1.34.1-gke.100" } } };
  const refusal = rule.refuses?.(resource, lookupIn(known)) ?? null;
  expect(refusal?.message.includes("IP_SPACE_EXHAUSTED_WITH_DETAILS") ?? false).toBe(isRefused);
  expect(refusal?.terminal ?? false).toBe(false);
});

it("makes a pool only in zones with its machine type", () => {
  const said = (location: string, spec: string): string | undefined =>
    rule.refuses?.(pool(`location: ${location}, ${spec}`), lookupIn([]))?.message;
  const g2 = "nodeConfig: {machineType: g2-standard-4}";
  expect(said("us-west4-b", g2)).toContain('Invalid machine type "g2-standard-4" in zone "us-west4-b": GCE_NOT_FOUND');
  expect(said("us-west4-a", g2)).toBeUndefined();
  expect(said("us-west4", g2)).toContain('in zone "us-west4-b"');
  expect(said("us-west4", `${g2}, nodeLocations: [us-west4-a, us-west4-c]`)).toBeUndefined();
  expect(said("us-west4", "nodeConfig: {machineType: e2-standard-4}")).toBeUndefined();
});

it("a pool that GKE makes without its nodes has one error, and is up to date at the next look", () => {
  const asked = pool("location: europe-west1-b, nodeCount: 3", { "landfall.dev/simulate": "created-in-error" });
  const refusal = rule.refuses?.(asked, lookupIn([])) ?? null;
  expect(refusal?.message).toBe('NodePool pool was created in the error state "RUNNING_WITH_ERROR"');
  const refused = refusal && kcc.conditions({ name: "refused", refusal }, asked);
  const again = { ...asked, status: { ...refusal?.leaves, conditions: refused } };
  expect(rule.refuses?.(again, lookupIn([])) ?? null).toBeNull();
  expect(rule.remembers?.(again)[NODES]).toBe("0");
});
