import { describe, expect, it } from "vitest";
import { FINALIZER } from "../../../src/elemento/kinds.ts";
import { sharedName } from "../../../src/elemento/own-name.ts";
import type { KaasWorld } from "../../../src/elemento/step/next-kaas-step.ts";
import { nextKaasStep } from "../../../src/elemento/step/next-kaas-step.ts";
import { nextNetworkStep } from "../../../src/elemento/step/next-network-step.ts";
import { nextVolumeStep } from "../../../src/elemento/step/next-volume-step.ts";
import type { ElementoObject, KaasSpec, NetworkSpec, VolumeSpec } from "../../../src/elemento/types.ts";
import type { Volume } from "../../../src/elemento/api/types.ts";
import { at, catalog, cluster, EDGE, kaasObject, kaasWorld, network, NOW, UID, volume } from "./samples.ts";

const saying = (reason: string): unknown => expect.objectContaining({ reason });
const going = { deletionTimestamp: at(0) };
const placement = { provider: "ovh" };
const hasRun = {
  placement,
  conditions: [{ type: "InSync", status: "True", reason: "AsWanted", message: "", lastTransitionTime: at(-9000) }],
};

describe("the next step of a cluster", () => {
  it.each<[string, ElementoObject<KaasSpec>, Partial<KaasWorld>, Record<string, unknown>]>([
    ["first its finalizer", kaasObject({ metadata: { finalizers: [] } }), {}, { do: "claim" }],
    ["then a quote", kaasObject({ status: {} }), {}, { do: "quote-cluster" }],
    [
      "a provider without clusters is refused",
      kaasObject({ spec: { provider: "azure" } }),
      {},
      { do: "refuse", say: saying("UnknownProvider") },
    ],
    ["then the cluster", kaasObject(), {}, { do: "create", say: saying("Creating") }],
    [
      "one that was just asked for is waited for",
      kaasObject({ status: { placement, attempts: { [`cluster/${EDGE}`]: at(-1999) } } }),
      {},
      { do: "wait" },
    ],
    [
      "one that no list shows after the lag was not made",
      kaasObject({ status: { placement, attempts: { [`cluster/${EDGE}`]: at(-2000) } } }),
      {},
      { do: "create" },
    ],
    [
      "while it is created",
      kaasObject(),
      { clusters: [cluster("c1", { state: "creating" })] },
      { do: "wait", say: saying("Creating") },
    ],
    [
      "its kubeconfig",
      kaasObject(),
      { clusters: [cluster("c1")], secretWritten: false },
      { do: "kubeconfig", id: "c1" },
    ],
    ["then it rests", kaasObject(), { clusters: [cluster("c1")] }, { do: "rest", drift: [] }],
    [
      "a patch level is no drift",
      kaasObject(),
      { clusters: [cluster("c1", { kubernetesVersion: "1.34.2" })] },
      { do: "rest", drift: [] },
    ],
    [
      "another version is",
      kaasObject(),
      { clusters: [cluster("c1", { kubernetesVersion: "1.3" })] },
      { do: "rest", drift: ["it runs 1.3, not 1.34"] },
    ],
    [
      "of two, the one in the status stays",
      kaasObject({ status: { placement, id: "c2" } }),
      { clusters: [cluster("c1"), cluster("c2")] },
      { do: "remove", things: [{ what: "cluster", id: "c1" }], duplicates: true },
    ],
    [
      "one that failed before it ran is made again",
      kaasObject(),
      { clusters: [cluster("c1", { state: "error" })] },
      { do: "remove", say: saying("Repairing") },
    ],
    [
      "one that failed later is for people",
      kaasObject({ status: hasRun }),
      { clusters: [cluster("c1", { state: "error" })] },
      { do: "refuse", say: saying("ClusterFailed") },
    ],
    [
      "what nobody knows is asked again",
      kaasObject(),
      { clusters: [cluster("c1", { state: "unknown" })] },
      { do: "wait", say: saying("StateUnknown") },
    ],
    [
      "a deletion",
      kaasObject({ metadata: going }),
      { clusters: [cluster("c1")] },
      { do: "remove", things: [{ what: "cluster", id: "c1" }] },
    ],
    [
      "a deletion under way",
      kaasObject({ metadata: going }),
      { clusters: [cluster("c1", { state: "deleting" })] },
      { do: "wait" },
    ],
    ["gone", kaasObject({ metadata: going }), {}, { do: "release" }],
    [
      "retained",
      kaasObject({ metadata: going, spec: { deletionPolicy: "retain" } }),
      { clusters: [cluster("c1")] },
      { do: "release" },
    ],
  ])("%s", (_name, object, world, step) => {
    expect(nextKaasStep(object, kaasWorld(world)).step).toMatchObject(step);
  });

  it("requests the addresses and the billing of a pool from the object", () => {
    const [pool] = kaasObject().spec.nodePools;
    if (pool === undefined) throw new Error("the sample has a pool");
    const network = { startAddress: "192.168.100.20", lastAddress: "192.168.100.90" };
    const { step } = nextKaasStep(
      kaasObject({ spec: { nodePools: [{ ...pool, billing: "hour" }], network } }),
      kaasWorld(),
    );
    const request = { nodePools: [{ billing: "hour" }], network: { cidr: "192.168.100.0/24", dhcp: true, ...network } };
    expect(step).toMatchObject({ things: [{ request }] });
  });

  it("requests every pool, with the provider's own name of the region", () => {
    const { step } = nextKaasStep(kaasObject({ spec: { provider: "ionos", region: "de-fra" } }), kaasWorld());
    expect(step).toMatchObject({
      things: [
        {
          request: {
            ...{ name: EDGE, place: { provider: "ionos", region: "de/fra" }, billing: "month" },
            nodePools: [{ name: "a", desiredNodes: 3, cpu: 2, memoryMiB: 2048, storageGB: 32, gpu: 0 }],
          },
        },
      ],
    });
  });
});

const moment = { listedAt: NOW, startedAt: NOW - 3_600_000, catalog };
const metadata = { name: "data", namespace: "demo", uid: UID, finalizers: [FINALIZER] };
const common = { name: "data", provider: "ovh", private: true, deletionPolicy: "delete" } as const;

const networkObject = (spec: Partial<NetworkSpec> = {}, more: object = {}): ElementoObject<NetworkSpec> => ({
  ...{ apiVersion: "elemento.landfall.dev/v1alpha1", kind: "ElementoNetwork" },
  metadata: { ...metadata, ...more },
  spec: { ...common, cidr: "10.0.0.0/24", ...spec },
});
const DATA = sharedName("data", { namespace: "demo", uid: UID });

describe("the next step of a network", () => {
  const there = [network("n1", DATA, "10.0.0.0/24")];
  it.each([
    [
      "made with every address",
      networkObject(),
      [],
      { do: "create", things: [{ request: { name: DATA, dhcp: "all", routes: [] } }] },
    ],
    [
      "made without DHCP",
      networkObject({ dhcp: { enabled: false } }),
      [],
      { do: "create", things: [{ request: { dhcp: null } }] },
    ],
    [
      "made with a range",
      networkObject({ dhcp: { enabled: true, start: "10.0.0.10", end: "10.0.0.20" } }),
      [],
      { do: "create", things: [{ request: { dhcp: { start: "10.0.0.10", end: "10.0.0.20", hosts: [] } } }] },
    ],
    ["there", networkObject(), there, { do: "rest", drift: [] }],
    [
      "with another range",
      networkObject(),
      [network("n1", DATA, "10.9.0.0/24")],
      { do: "rest", drift: ["it has 10.9.0.0/24, not 10.0.0.0/24"] },
    ],
    [
      "twice there",
      networkObject(),
      [...there, network("n2", DATA)],
      { do: "remove", things: [{ id: "n2" }], duplicates: true },
    ],
    ["on its way out", networkObject({}, going), there, { do: "remove", things: [{ what: "network", id: "n1" }] }],
    ["gone", networkObject({}, going), [], { do: "release" }],
    ["at nobody", networkObject({ provider: "acme" }), [], { do: "refuse", say: saying("UnknownProvider") }],
  ])("%s", (_name, object, networks, step) => {
    expect(nextNetworkStep(object, { ...moment, networks }).step).toMatchObject(step);
  });
});

const volumeObject = (spec: Partial<VolumeSpec> = {}, more: object = {}): ElementoObject<VolumeSpec> => ({
  ...{ apiVersion: "elemento.landfall.dev/v1alpha1", kind: "ElementoVolume" },
  metadata: { ...metadata, ...more },
  spec: { ...common, type: "data", sizeGB: 50, bootable: false, readonly: false, shareable: false, ...spec },
});

describe("the next step of a volume", () => {
  it.each<[string, ElementoObject<VolumeSpec>, Volume[], Record<string, unknown>]>([
    ["made", volumeObject(), [], { do: "create", things: [{ what: "volume", request: { name: DATA, sizeGB: 50 } }] }],
    [
      "made of an image",
      volumeObject({ type: "image", image: "debian-12" }),
      [],
      { do: "create", things: [{ what: "image" }] },
    ],
    [
      "of no image that is known",
      volumeObject({ type: "image", image: "x" }),
      [],
      { do: "refuse", say: saying("UnknownImage") },
    ],
    ["being filled", volumeObject(), [volume("v1", DATA, { state: "creating" })], { do: "wait" }],
    ["broken", volumeObject(), [volume("v1", DATA, { state: "error" })], { do: "remove", say: saying("Repairing") }],
    ["there", volumeObject(), [volume("v1", DATA)], { do: "rest", drift: [] }],
    [
      "smaller than wanted",
      volumeObject({ sizeGB: 80 }),
      [volume("v1", DATA)],
      { do: "rest", drift: ["it has 50 GB, not 80"] },
    ],
    [
      "twice there: the one that a machine holds stays",
      volumeObject(),
      [volume("v1", DATA), volume("v2", DATA, { vmIds: ["m1"] })],
      { do: "remove", things: [{ what: "volume", id: "v1" }], duplicates: true },
    ],
    [
      "on its way out",
      volumeObject({}, going),
      [volume("v1", DATA)],
      { do: "remove", things: [{ what: "volume", id: "v1" }] },
    ],
    ["gone", volumeObject({}, going), [], { do: "release" }],
  ])("%s", (_name, object, volumes, step) => {
    expect(nextVolumeStep(object, { ...moment, volumes }).step).toMatchObject(step);
  });
});
