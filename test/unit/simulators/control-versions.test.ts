import { describe, expect, it } from "vitest";
import { ack } from "../../../src/local/simulators/ack/ack.ts";
import { aso } from "../../../src/local/simulators/aso/aso.ts";
import { kcc } from "../../../src/local/simulators/kcc/kcc.ts";
import { decidePhase } from "../../../src/local/simulators/decide-phase.ts";
import { nextStatus } from "../../../src/local/simulators/next-status.ts";
import { RUNNING } from "../../../src/local/simulators/pool-versions.ts";
import type { Family, Refusal, Resource } from "../../../src/local/simulators/types.ts";
import { lookupIn, made, resources, ruleOf } from "./resources.ts";

const [eks, aks, gke] = resources(`
apiVersion: eks.services.k8s.aws/v1alpha1
kind: Cluster
metadata: {name: web}
spec: {version: "1.35"}
---
apiVersion: containerservice.azure.com/v1api20240901
kind: ManagedCluster
metadata: {name: web}
spec: {kubernetesVersion: "1.35", agentPoolProfiles: [{name: system, mode: System, vmSize: Standard_D4s_v5, count: 1}]}
---
apiVersion: container.cnrm.cloud.google.com/v1beta1
kind: ContainerCluster
metadata: {name: web}
spec: {minMasterVersion: "1.35", releaseChannel: {channel: STABLE}}
`) as [Resource, Resource, Resource];

const asked = (resource: Resource, fault: string | null): Resource => ({
  ...resource,
  metadata: { ...resource.metadata, ...(fault === null ? {} : { labels: { simulate: fault } }) },
});

const refusal = (family: Family, resource: Resource): Refusal | null =>
  ruleOf(family, resource.kind).refuses?.(resource, lookupIn([]), []) ?? null;

/** What is said of a cluster that runs 1.34 and is to run 1.35. */
const upgraded: Readonly<Record<string, (fault: string | null, wanted?: string, runs?: string) => Refusal | null>> = {
  aws: (fault, version = "1.35", runs = "1.34") => {
    const one = asked({ ...eks, spec: { version } }, fault);
    return refusal(ack, { ...one, metadata: { ...one.metadata, annotations: { [RUNNING]: runs } } });
  },
  azure: (fault, kubernetesVersion = "1.35", runs = "1.34") => {
    const spec = { ...aks.spec, kubernetesVersion };
    return refusal(aso, asked({ ...aks, spec, status: { currentKubernetesVersion: `${runs}.0` } }, fault));
  },
  gcp: (fault, minMasterVersion = "1.35", runs = "1.34") => {
    const status = { selfLink: "link", masterVersion: `${runs}.0-gke.100` };
    return refusal(kcc, asked({ ...gke, spec: { ...gke.spec, minMasterVersion }, status }, fault));
  },
};

describe.each(Object.entries(upgraded))("a control plane of %s", (_provider, say) => {
  it("is upgraded, and refused where that is asked for, until its old version is wanted again", () => {
    expect(say(null)).toBeNull();
    expect(say("upgrade-refused")).toMatchObject({ message: expect.stringMatching(/1\.34|readiness/) as unknown });
    expect(say("upgrade-refused", "1.34")).toBeNull();
  });
});

describe("an older version than the one that runs", () => {
  it("is refused for good by ACK and AKS, and is none for Config Connector", () => {
    expect(upgraded["aws"]?.(null, "1.34", "1.35")).toEqual({
      ...{ code: "", terminal: true },
      message: "desired cluster version is less than the observed version: 1.34 < 1.35",
    });
    expect(upgraded["azure"]?.(null, "1.34", "1.35")?.terminal).toBe(true);
    expect(upgraded["gcp"]?.(null, "1.34", "1.35")).toBeNull();
    const status = { selfLink: "link", masterVersion: "1.35.0-gke.100" };
    const older = { ...gke, spec: { ...gke.spec, minMasterVersion: "1.34" }, status };
    const rule = ruleOf(kcc, "ContainerCluster");
    expect(rule.status(older, lookupIn([]))).toMatchObject({ masterVersion: "1.35.0-gke.100" });
  });

  it("is left behind where EKS has upgraded the cluster itself", () => {
    const say = upgraded["aws"];
    expect(say?.("upgraded-to-1.35", "1.34")?.message).toContain("1.34 < 1.35");
    expect(say?.("upgraded-to-1.35", "1.35")).toBeNull();
    // Once it runs that version, nothing differs.
    expect(say?.("upgraded-to-1.35", "1.35", "1.35")).toBeNull();
  });
});

it("a node group whose Pods cannot leave is updated again and again by ACK, and never has the version", () => {
  const [group] = resources(`
apiVersion: eks.services.k8s.aws/v1alpha1
kind: Nodegroup
metadata: {name: web-a, annotations: {"${RUNNING}": "1.34"}, labels: {simulate: pods-stay}}
spec: {name: a, version: "1.35"}
`) as [Resource];
  const { endless } = ruleOf(ack, "Nodegroup");
  expect(endless?.(group)).toBe(true);
  expect(ack.conditions({ name: "ready" }, group)).toContainEqual(
    expect.objectContaining({
      type: "ACK.Recoverable",
      message: "nodegroup has started asynchronously updating, cannot be modified until 'ACTIVE'",
    }),
  );
  expect(endless?.({ ...group, spec: { ...group.spec, version: "1.34" } })).toBe(false);
  expect(endless?.(asked(group, "slow"))).toBe(false);
});

describe("an upgrade that EKS refuses", () => {
  const metadata = { ...eks.metadata, annotations: { [RUNNING]: "1.34" }, labels: { simulate: "upgrade-refused" } };
  const spec = { ...eks.spec, name: "web", resourcesVPCConfig: { subnetRefs: [] }, roleRef: {} };
  const cluster = made(ack, { ...eks, metadata, spec });
  const rule = ruleOf(ack, "Cluster");
  const world = { family: ack, rule, lookup: lookupIn([]), offers: () => null, isReady: () => true, isDone: false };
  const at = (nowMs: number) => decidePhase(cluster, world, { generation: 1, startedAt: 0 }, { nowMs, speed: 1 });
  const before = "2026-11-21T10:00:00Z";

  it("shows no update before, and a new time of ACK.ResourceSynced, which stays True", () => {
    const { phase } = at(0);
    expect(phase).toMatchObject({ name: "refused", refusal: { code: "InvalidStateException", terminal: false } });
    const synced = { type: "ACK.ResourceSynced", status: "True", lastTransitionTime: before };
    const resource = { ...cluster, status: { ...cluster.status, conditions: [synced] } };
    const subject = { resource, family: ack, rule };
    const status = nextStatus(subject, phase, { lookup: lookupIn([]), nowMs: Date.parse(before) + 60_000 });
    expect(status?.["conditions"]).toContainEqual({ ...synced, lastTransitionTime: "2026-11-21T10:01:00Z" });
    expect(status?.["conditions"]).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "False", reason: "ACK.Recoverable" }),
    );
  });

  it("keeps no node group from ACK, and one that it gave up does", () => {
    const conditions = (type: string) => [
      { type: "ACK.ResourceSynced", status: "True" },
      { type, status: "True", message: "refused" },
    ];
    const said = (type: string) => ack.isReady({ ...cluster, status: { conditions: conditions(type) } });
    expect([said("ACK.Recoverable"), said("ACK.Terminal")]).toEqual([true, false]);
  });
});
