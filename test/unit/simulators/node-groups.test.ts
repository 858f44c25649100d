import { describe, expect, it } from "vitest";
import { ack } from "../../../src/local/simulators/ack/ack.ts";
import { decidePhase } from "../../../src/local/simulators/decide-phase.ts";
import { deletionStep } from "../../../src/local/simulators/deletion-step.ts";
import { LEFT } from "../../../src/local/simulators/node-groups.ts";
import { ResourceIndex } from "../../../src/local/simulators/resource-index.ts";
import type { Phase, Resource } from "../../../src/local/simulators/types.ts";
import { lookupIn, made, resources, ruleOf } from "./resources.ts";

const NOW = Date.parse("2026-11-21T10:00:00Z");
const [cluster, referring, naming] = resources(`
apiVersion: eks.services.k8s.aws/v1alpha1
kind: Cluster
metadata: {name: web}
spec: {name: web-1, version: "1.35"}
---
apiVersion: eks.services.k8s.aws/v1alpha1
kind: Nodegroup
metadata: {name: web-system}
spec: {name: system, nodeRoleRef: {}, subnetRefs: [], clusterRef: {from: {name: web}}}
---
apiVersion: eks.services.k8s.aws/v1alpha1
kind: Nodegroup
metadata: {name: web-system}
spec: {name: system, nodeRoleRef: {}, subnetRefs: [], clusterName: web-1}
`) as [Resource, Resource, Resource];

const rule = ruleOf(ack, "Nodegroup");
const is = (phase: Phase, resource: Resource = made(ack, cluster)): Resource => ({
  ...resource,
  status: { ...resource.status, conditions: ack.conditions(phase, resource) },
});
const synced = is({ name: "ready" });
const refusedWith = (terminal: boolean): Resource =>
  is({ name: "refused", refusal: { code: "InvalidParameterValue", message: "m", terminal } });

/** The first step of the deletion of a resource that is there, with these others. */
function deletion(resource: Resource, ...others: Resource[]): ReturnType<typeof deletionStep> {
  const index = new ResourceIndex((one) => ack.references(one, ruleOf(ack, one.kind)));
  for (const other of others) index.set(other);
  const metadata = {
    ...resource.metadata,
    ...{ finalizers: [ack.finalizer], deletionTimestamp: new Date(NOW).toISOString() },
  };
  const subject = { resource: { ...resource, metadata }, family: ack, rule: ruleOf(ack, resource.kind) };
  return deletionStep(subject, index, { nowMs: NOW, speed: 1 });
}

describe("a node group that is deleted", () => {
  const inTime = { action: "wait", milliseconds: 300 };

  it("stays at EKS if it refers to a cluster that changes, is refused for good, or is gone: ACK takes it for gone", () => {
    const group = made(ack, referring);
    const left = (holder: Resource | null) => ({
      action: "release",
      left: { holder, annotations: { [LEFT]: "system" } },
    });
    for (const other of [is({ name: "updating" }), refusedWith(true)]) {
      expect(deletion(group, other)).toEqual(left(other));
    }
    expect(deletion(group)).toEqual(left(null));
    expect(deletion(group, synced)).toEqual(inTime);
    expect(deletion(group, refusedWith(false))).toEqual(inTime);
  });

  it("is deleted whatever its cluster does if it names it", () => {
    const group = made(ack, naming);
    for (const others of [[is({ name: "updating" })], [refusedWith(true)], [synced], []]) {
      expect(deletion(group, ...others)).toEqual(inTime);
    }
  });

  it("keeps its cluster until it is gone, also one that is left at EKS alone", () => {
    const blocked = (by: string) => ({ action: "tell", phase: { name: "blocked", by } });
    expect(deletion(synced, made(ack, naming))).toEqual(blocked("Nodegroup demo/web-system"));
    const metadata = { ...synced.metadata, annotations: { [LEFT]: "batch,system" } };
    expect(deletion({ ...synced, metadata })).toEqual(blocked("batch"));
    expect(deletion(synced)).toEqual(inTime);
  });
});

describe("a new node group", () => {
  const refusal = (group: Resource, ...others: Resource[]) => rule.refuses?.(group, lookupIn(others));
  const phase = (group: Resource, ...others: Resource[]): Phase => {
    const isReady = (one: Resource): boolean => ack.isReady(one);
    const world = { family: ack, rule, lookup: lookupIn(others), offers: () => true, isReady, isDone: false };
    return decidePhase(group, world, null, { nowMs: NOW, speed: 1 }).phase;
  };

  it("waits for a cluster that it refers to, and is refused by EKS while one that it names is not active", () => {
    expect(phase(referring, is({ name: "updating" })).name).toBe("waiting");
    expect(phase(naming, is({ name: "updating" })).name).toBe("creating");
    expect(refusal(naming, cluster)).toMatchObject({ code: "ResourceNotFoundException", terminal: false });
    expect(refusal(naming, is({ name: "updating" }))).toMatchObject({
      ...{ code: "InvalidRequestException", message: "Cluster 'web-1' is not in ACTIVE status", terminal: false },
    });
    expect(refusal(naming, synced)).toBeNull();
    // One that is there is not asked for again.
    expect(refusal(made(ack, naming), is({ name: "updating" }))).toBeNull();
  });

  it("is not taken over if EKS has one of its name that was left there", () => {
    const metadata = { ...synced.metadata, annotations: { [LEFT]: "system" } };
    const message = "Resource already exists";
    expect(refusal(referring, { ...synced, metadata })).toEqual({ code: "", message, terminal: true });
  });
});
