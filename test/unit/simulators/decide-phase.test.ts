import { describe, expect, it } from "vitest";
import { kcc } from "../../../src/local/simulators/kcc/kcc.ts";
import { ack } from "../../../src/local/simulators/ack/ack.ts";
import { askedFault } from "../../../src/local/simulators/asked-fault.ts";
import {
  actedOn,
  APPLIED,
  appliedFields,
  decidePhase,
  secondsFor,
  type Job,
} from "../../../src/local/simulators/decide-phase.ts";
import { deletionStep } from "../../../src/local/simulators/deletion-step.ts";
import { nextStatus } from "../../../src/local/simulators/next-status.ts";
import { readOffers } from "../../../src/local/simulators/read-offers.ts";
import { ResourceIndex } from "../../../src/local/simulators/resource-index.ts";
import type { Phase, Resource } from "../../../src/local/simulators/types.ts";
import { lookupIn, made, resources, ruleOf } from "./resources.ts";

const [vpc, subnet, vm] = resources(`
apiVersion: ec2.services.k8s.aws/v1alpha1
kind: VPC
metadata: {name: vpc}
spec: {cidrBlocks: [10.0.0.0/16]}
---
apiVersion: ec2.services.k8s.aws/v1alpha1
kind: Subnet
metadata: {name: subnet}
spec: {cidrBlock: 10.0.1.0/24, vpcRef: {from: {name: vpc}}}
---
apiVersion: ec2.services.k8s.aws/v1alpha1
kind: Instance
metadata: {name: vm, annotations: {services.k8s.aws/region: eu-west-1}}
spec:
  imageID: ami-0123456789abcdef0
  instanceType: m5.large
  securityGroupIDs: [sg-0]
  subnetRef: {from: {name: subnet}}
`) as [Resource, Resource, Resource];

const offers = readOffers(
  JSON.stringify({
    providers: { aws: { regions: ["eu-west-1", "eu-west-2"], types: { "m5.large": { prices: [0.1, -1] } } } },
  }),
);
const NOW = 1_800_000_000_000;

function decide(
  resource: Resource,
  known: readonly Resource[],
  job: Job | null = null,
  { nowMs = NOW, acted = "", wasThere = false } = {},
): ReturnType<typeof decidePhase> {
  const rule = ruleOf(ack, resource.kind);
  const world = {
    family: ack,
    rule,
    lookup: lookupIn(known),
    offers,
    isReady: (other: Resource) => ack.isReady(other),
    wasThere,
    isDone: acted === actedOn(resource, rule),
  };
  return decidePhase(resource, world, job, { nowMs, speed: 1 });
}

const readySubnet = made(ack, subnet);

it("does nothing about fields that ACK ignores, at once", () => {
  const before = made(ack, vm, [readySubnet]);
  const acted = actedOn(before, ruleOf(ack, "Instance"));
  const changed = (spec: Record<string, unknown>) => ({ ...before, spec: { ...before.spec, ...spec } });
  const phaseOf = (spec: Record<string, unknown>) => decide(changed(spec), [readySubnet], null, { acted }).phase.name;
  expect(phaseOf({ blockDeviceMappings: [{ deviceName: "/dev/sda1" }], maxCount: 1, userData: "x" })).toBe("ready");
  expect(phaseOf({ securityGroupIDs: ["sg-1"] })).toBe("updating");
});
const withSpec = (changes: Record<string, unknown>): Resource => ({ ...vm, spec: { ...vm.spec, ...changes } });
const started: Job = { generation: 1, startedAt: NOW };
const later = (resource: Resource, more: { wasThere?: boolean } = {}): Phase =>
  decide(resource, [readySubnet], started, { nowMs: NOW + 60_000, ...more }).phase;

describe("the phases until ready", () => {
  it("waits for a missing reference", () => {
    expect(decide(vm, []).phase).toMatchObject({ name: "waiting", exists: false, reference: { kind: "Subnet" } });
  });

  it("waits for a reference that is not ready", () => {
    expect(decide(vm, [subnet])).toMatchObject({ phase: { name: "waiting", exists: true }, until: null });
  });

  it("then takes the provider's time, the same for the same name", () => {
    const { phase, until } = decide(vm, [readySubnet]);
    expect(phase).toEqual({ name: "creating" });
    expect(until).toBe(NOW + secondsFor(vm, ruleOf(ack, "Instance"), false) * 1000);
    expect(decide(vm, [readySubnet], started, { nowMs: Number(until) - 1 }).phase).toEqual({ name: "creating" });
    expect(decide(vm, [readySubnet], started, { nowMs: Number(until) }).phase).toEqual({ name: "ready" });
  });

  it("treats a change of an existing resource as an update, which takes half the time", () => {
    const existing = made(ack, vm);
    expect(decide(existing, [readySubnet]).phase).toEqual({ name: "updating" });
    expect(secondsFor(vm, ruleOf(ack, "Instance"), true)).toBe(secondsFor(vm, ruleOf(ack, "Instance"), false) / 2);
  });
});

describe("a machine is refused", () => {
  it.each([
    [
      "quota-exceeded by a tag",
      withSpec({ tags: [{ key: "simulate", value: "quota-exceeded" }] }),
      "VcpuLimitExceeded",
    ],
    ["bad-image by a tag", withSpec({ tags: [{ key: "simulate", value: "bad-image" }] }), "InvalidAMIID.NotFound"],
    [
      "no machines of its type by a tag",
      withSpec({ tags: [{ key: "simulate", value: "none-of-m5.large" }] }),
      "InsufficientInstanceCapacity",
    ],
    ["an image that is no AMI", withSpec({ imageID: "ubuntu" }), "InvalidAMIID.NotFound"],
    ["a type that nobody offers", withSpec({ instanceType: "m5.tiny" }), "Unsupported"],
    ["a missing field", withSpec({ instanceType: undefined }), "MissingParameter"],
  ])("%s", (_name, resource, code) => {
    expect(decide(resource, [readySubnet]).phase).toEqual({ name: "creating" });
    expect(later(resource)).toMatchObject({ name: "refused", refusal: { code, terminal: false } });
  });

  it("if its place has no more of them, and it was there before", () => {
    const tagged = (place: string) => withSpec({ tags: [{ key: "simulate", value: `no-more-in-${place}` }] });
    const again = (resource: Resource) => later(resource, { wasThere: true });
    expect(again(tagged("eu-west-1"))).toMatchObject({ refusal: { code: "InsufficientInstanceCapacity" } });
    expect(again(tagged("eu-west-2"))).toEqual({ name: "ready" });
    const typed = withSpec({ tags: [{ key: "simulate", value: "no-more-of-m5.large" }] });
    expect(again(typed)).toMatchObject({ refusal: { code: "InsufficientInstanceCapacity" } });
    expect(later(typed)).toEqual({ name: "ready" });
    expect(later(tagged("eu-west-1"))).toEqual({ name: "ready" });
  });

  it("if its zone has none of them, at AWS the zone of its subnet, whether it was there before or not", () => {
    const inZone = { ...made(ack, subnet), spec: { ...subnet.spec, availabilityZone: "eu-west-1b" } };
    const tagged = (fault: string) => withSpec({ tags: [{ key: "simulate", value: fault }] });
    const phase = (fault: string, wasThere: boolean) =>
      decide(tagged(fault), [inZone], started, { nowMs: NOW + 60_000, wasThere }).phase;
    for (const wasThere of [true, false])
      expect(phase("none-in-eu-west-1b", wasThere)).toMatchObject({
        refusal: { code: "InsufficientInstanceCapacity" },
      });
    expect(phase("none-in-eu-west-1a", true)).toEqual({ name: "ready" });
    expect(phase("no-more-in-eu-west-1b", true)).toMatchObject({ name: "refused" });
    expect(phase("no-more-in-eu-west-1b", false)).toEqual({ name: "ready" });
  });

  it("if the region does not offer the type", () => {
    const there = { ...vm, metadata: { ...vm.metadata, annotations: { "services.k8s.aws/region": "eu-west-2" } } };
    expect(later(there)).toMatchObject({ name: "refused", refusal: { code: "Unsupported" } });
  });

  it("not if the catalog does not have the region", () => {
    const there = { ...vm, metadata: { ...vm.metadata, annotations: { "services.k8s.aws/region": "xx-new-1" } } };
    expect(later(there)).toEqual({ name: "ready" });
  });

  it("if its type changes while it runs, and not before it exists", () => {
    const annotations = { ...vm.metadata.annotations, [APPLIED]: appliedFields(vm, ruleOf(ack, "Instance")) };
    const changed = { ...withSpec({ instanceType: "m5.large2" }), metadata: { ...vm.metadata, annotations } };
    expect(later(made(ack, changed))).toMatchObject({
      name: "refused",
      refusal: { code: "IncorrectInstanceState", terminal: false },
    });
  });

  it.each([{ userData: "eA==" }, { blockDeviceMappings: [] }, { keyName: "other" }])(
    "not if %j changes, which ACK ignores",
    (spec) => {
      const annotations = { ...vm.metadata.annotations, [APPLIED]: appliedFields(vm, ruleOf(ack, "Instance")) };
      const changed = { ...withSpec(spec), metadata: { ...vm.metadata, annotations } };
      expect(later(made(ack, changed))).toEqual({ name: "ready" });
    },
  );
});

it.each([[[]], [undefined]])("a machine is refused, and not for good, without any security group: %j", (groups) => {
  expect(later(made(ack, withSpec({ securityGroupIDs: groups })))).toMatchObject({
    name: "refused",
    refusal: { code: "InvalidParameterCombination", terminal: false },
  });
  // Before it exists, EC2 puts it into the default group, which ACK writes into the spec.
  expect(later(withSpec({ securityGroupIDs: groups }))).toEqual({ name: "ready" });
  expect(ruleOf(ack, "Instance").writeBack?.(withSpec({ securityGroupIDs: groups }))).toHaveProperty(
    "securityGroupIDs",
  );
});

describe("a fault is injected", () => {
  it.each([
    ["by annotation", { ...vm, metadata: { ...vm.metadata, annotations: { "landfall.dev/simulate": "slow" } } }],
    ["by label", { ...vm, metadata: { ...vm.metadata, labels: { simulate: "slow" } } }],
    [
      "by a tag of a list",
      withSpec({
        tags: [
          { key: "a", value: "b" },
          { key: "simulate", value: "slow" },
        ],
      }),
    ],
    ["by a tag of a map", withSpec({ tags: { simulate: "slow" } })],
    ["by a label of the spec", withSpec({ labels: { simulate: "slow" } })],
  ])("%s", (_name, resource) => {
    expect(askedFault(resource)).toBe("slow");
    expect(secondsFor(resource, ruleOf(ack, "Instance"), false)).toBe(
      4 * secondsFor(vm, ruleOf(ack, "Instance"), false),
    );
  });
});

describe("a status is written once", () => {
  const subject = { resource: vm, family: ack, rule: ruleOf(ack, "Instance") };

  it("not again while nothing changes", () => {
    const status = nextStatus(subject, { name: "creating" }, { lookup: lookupIn([]), nowMs: NOW });
    expect(status).not.toBeNull();
    const resource = { ...vm, status: status ?? {} };
    expect(
      nextStatus({ ...subject, resource }, { name: "creating" }, { lookup: lookupIn([]), nowMs: NOW + 5_000 }),
    ).toBeNull();
  });

  it("with a new time at each look of ACK, which others do not give", () => {
    const [ready, later] = [{ name: "ready" } as const, NOW + 5_000];
    const seen = { ...vm, status: nextStatus(subject, ready, { lookup: lookupIn([]), nowMs: NOW }) ?? {} };
    const again = nextStatus({ ...subject, resource: seen }, ready, { lookup: lookupIn([]), nowMs: later });
    const conditions = (again?.["conditions"] ?? []) as { lastTransitionTime: string }[];
    const times = conditions.map((one) => one.lastTransitionTime);
    expect(new Set(times.map((time) => Date.parse(time) - NOW))).toEqual(new Set([5_000]));
    const text =
      "{apiVersion: compute.cnrm.cloud.google.com/v1, kind: ComputeInstance, metadata: {name: vm}, spec: {}}";
    const [gcpVm] = resources(text);
    if (gcpVm === undefined) throw new TypeError("no resource");
    const other = { family: kcc, rule: ruleOf(kcc, "ComputeInstance") };
    const status = nextStatus({ ...other, resource: gcpVm }, ready, { lookup: lookupIn([]), nowMs: NOW }) ?? {};
    expect(
      nextStatus({ ...other, resource: { ...gcpVm, status } }, ready, { lookup: lookupIn([]), nowMs: later }),
    ).toBeNull();
  });

  it("with the time of a condition's last change", () => {
    const before = nextStatus(subject, { name: "creating" }, { lookup: lookupIn([]), nowMs: NOW }) ?? {};
    const after = nextStatus(
      { ...subject, resource: { ...vm, status: before } },
      { name: "ready" },
      { lookup: lookupIn([]), nowMs: NOW + 5_000 },
    );
    const times = ((after?.["conditions"] ?? []) as { type: string; lastTransitionTime: string }[]).map((one) => [
      one.type,
      Date.parse(one.lastTransitionTime) - NOW,
    ]);
    expect(Object.fromEntries(times)).toEqual({
      "ACK.ReferencesResolved": 5_000,
      "ACK.ResourceSynced": 5_000,
      Ready: 5_000,
    });
  });
});

describe("deletion", () => {
  const index = new ResourceIndex((resource) => ack.references(resource, ruleOf(ack, resource.kind)));
  const deleted = (resource: Resource): Resource => ({
    ...resource,
    metadata: { ...resource.metadata, finalizers: [ack.finalizer], deletionTimestamp: new Date(NOW).toISOString() },
  });
  const step = (resource: Resource, nowMs: number): ReturnType<typeof deletionStep> =>
    deletionStep({ resource, family: ack, rule: ruleOf(ack, resource.kind) }, index, { nowMs, speed: 1 });

  it("waits for users of the resource, then for the deletion time, then removes the finalizer", () => {
    const network = deleted(made(ack, vpc));
    index.set(network);
    index.set(readySubnet);
    expect(step(network, NOW)).toEqual({ action: "tell", phase: { name: "blocked", by: "Subnet demo/subnet" } });
    index.delete(readySubnet);
    expect(step(network, NOW)).toEqual({ action: "wait", milliseconds: 300 });
    expect(step(network, NOW + 300)).toEqual({ action: "release" });
  });

  it("removes the finalizer at once for a resource that was never created, or is kept", () => {
    expect(step(deleted(vpc), NOW)).toEqual({ action: "release" });
    const kept = made(ack, {
      ...vpc,
      metadata: { ...vpc.metadata, annotations: { "services.k8s.aws/deletion-policy": "retain" } },
    });
    expect(step(deleted(kept), NOW)).toEqual({ action: "release" });
  });

  it("takes a role away from the cluster that has it, as IAM does", () => {
    const parts = resources(`
apiVersion: iam.services.k8s.aws/v1alpha1
kind: Role
metadata: {name: web-cluster, uid: role}
spec: {name: web-cluster, assumeRolePolicyDocument: "{}"}
---
apiVersion: eks.services.k8s.aws/v1alpha1
kind: Cluster
metadata: {name: web, uid: cluster}
spec: {name: web, resourcesVPCConfig: {subnetRefs: []}, roleRef: {from: {name: web-cluster}}}
`);
    const [role, cluster] = parts.map((one) => made(ack, one, parts)) as [Resource, Resource];
    index.set(deleted(role));
    index.set(cluster);
    expect(index.blocker(role, ack)).toBe("Cluster demo/web");
    expect(step(deleted(role), NOW + 300)).toEqual({ action: "release" });
  });

  it("ignores an answer after the deletion", () => {
    const late = { ...readySubnet, metadata: { ...readySubnet.metadata, resourceVersion: "99" } };
    expect(index.set(late)).toBe(false);
    expect(index.blocker(vpc, ack)).toBeNull();
  });
});

it("questions the type of a pool's nodes only as long as there are none", () => {
  const [pool] = resources(`
apiVersion: container.cnrm.cloud.google.com/v1beta1
kind: ContainerNodePool
metadata: {name: pool}
spec: {location: europe-west1-b, clusterRef: {name: web}, nodeCount: 1, nodeConfig: {machineType: e2-standard-2}}
`) as [Resource];
  const rule = ruleOf(kcc, "ContainerNodePool");
  const lookup = () => ({ ...pool, status: { masterVersion: "1.35.0-gke.100" } });
  const world = { family: kcc, rule, lookup, offers: () => false, isReady: () => true, isDone: false };
  const phase = (status: Record<string, unknown>) =>
    decidePhase({ ...pool, status }, world, { generation: 1, startedAt: 0 }, { nowMs: NOW, speed: 1 }).phase.name;
  expect(phase({})).toBe("refused");
  expect(phase({ selfLink: "link" })).toBe("ready");
});
