import { describe, expect, it } from "vitest";
import { ack } from "../../../src/local/simulators/ack/ack.ts";
import { TERMINATED_BY_HAND } from "../../../src/local/simulators/ack/ack-instance.ts";
import { aso } from "../../../src/local/simulators/aso/aso.ts";
import { kcc } from "../../../src/local/simulators/kcc/kcc.ts";
import type { Family, Phase, Resource } from "../../../src/local/simulators/types.ts";
import { lookupIn, made, resources, ruleOf } from "./resources.ts";

const [group, vnet, nic, azureVm] = resources(`
apiVersion: resources.azure.com/v1api20200601
kind: ResourceGroup
metadata: {name: rg}
spec: {location: westeurope}
---
apiVersion: network.azure.com/v1api20240301
kind: VirtualNetwork
metadata: {name: vnet}
spec: {location: westeurope, owner: {name: rg}, addressSpace: {addressPrefixes: [10.0.0.0/16]}}
---
apiVersion: network.azure.com/v1api20240301
kind: NetworkInterface
metadata: {name: nic}
spec:
  location: westeurope
  owner: {name: rg}
  ipConfigurations:
    - name: one
      subnet: {reference: {group: network.azure.com, kind: VirtualNetworksSubnet, name: subnet}}
---
apiVersion: compute.azure.com/v1api20220301
kind: VirtualMachine
metadata: {name: vm, generation: 3}
spec:
  location: westeurope
  owner: {name: rg}
  hardwareProfile: {vmSize: Standard_D2s_v5}
  networkProfile: {networkInterfaces: [{reference: {group: network.azure.com, kind: NetworkInterface, name: nic}}]}
`) as [Resource, Resource, Resource, Resource];

const [subnet, securityGroup, instance] = resources(`
apiVersion: ec2.services.k8s.aws/v1alpha1
kind: Subnet
metadata: {name: subnet}
spec: {cidrBlock: 10.0.1.0/24, vpcRef: {from: {name: vpc}}, routeTableRefs: [{from: {name: routes}}]}
---
apiVersion: ec2.services.k8s.aws/v1alpha1
kind: SecurityGroup
metadata: {name: ports, annotations: {services.k8s.aws/region: eu-west-1}}
spec: {name: ports, description: ports, vpcRef: {from: {name: vpc, namespace: shared}}}
---
apiVersion: ec2.services.k8s.aws/v1alpha1
kind: Instance
metadata: {name: vm, annotations: {services.k8s.aws/region: eu-west-1}}
spec: {imageID: ami-0123456789abcdef0, instanceType: m5.large, subnetRef: {from: {name: subnet}}}
`) as [Resource, Resource, Resource];

const [gcpVm] = resources(`
apiVersion: compute.cnrm.cloud.google.com/v1beta1
kind: ComputeInstance
metadata: {name: vm, generation: 2, annotations: {cnrm.cloud.google.com/project-id: acme}}
spec:
  zone: europe-west8-b
  machineType: e2-standard-2
  bootDisk: {initializeParams: {sourceImageRef: {external: debian-cloud/debian-12}}}
  networkInterface: [{subnetworkRef: {name: subnet}, accessConfig: [{natIpRef: {name: ip}}]}]
`) as [Resource];

const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);

const names = (family: Family, resource: Resource): string[] =>
  family.references(resource, ruleOf(family, resource.kind)).map((one) => `${one.kind} ${one.namespace}/${one.name}`);

describe("a machine that shuts itself down", () => {
  const asked = (resource: Resource, spec: Record<string, unknown>): Resource => ({
    ...resource,
    metadata: {
      ...resource.metadata,
      annotations: { ...resource.metadata.annotations, "landfall.dev/simulate": "shutdown" },
    },
    spec: { ...resource.spec, ...spec },
  });
  const ends = (family: Family, resource: Resource): unknown =>
    ruleOf(family, resource.kind).shutdown?.(resource)?.status ?? null;

  it("AWS: is stopped, or terminated and created again by ACK", () => {
    expect(ends(ack, instance)).toBeNull();
    expect(ends(ack, asked(instance, {}))).toEqual({ state: { code: 80, name: "stopped" } });
    const again = ends(ack, asked(instance, { instanceInitiatedShutdownBehavior: "terminate" }));
    expect(again).toMatchObject({ instanceID: expect.stringMatching(/^i-[0-9a-f]{17}$/) as unknown });
    expect(again).not.toEqual({ instanceID: made(ack, instance).status?.["instanceID"] });
  });

  it("AWS: is not created again beside the network card that ACK wrote into its spec", () => {
    const annotations = { ...instance.metadata.annotations, [TERMINATED_BY_HAND]: "i-1" };
    const gone = (id: string, spec: Record<string, unknown> = {}): Resource => ({
      ...instance,
      metadata: { ...instance.metadata, annotations },
      spec: { ...instance.spec, ...spec },
      status: { instanceID: id },
    });
    const endOf = (resource: Resource) => ruleOf(ack, "Instance").shutdown?.(resource);
    const card = { networkInterfaces: [{ deviceIndex: 0, subnetID: "subnet-1" }] };
    expect(endOf(gone("i-1", card))?.again?.refusal).toMatchObject({
      code: "InvalidParameterCombination",
      terminal: false,
    });
    expect(endOf(gone("i-1"))).toMatchObject({
      again: { refusal: null },
      status: { instanceID: matching(/^i-[0-9a-f]{17}$/) },
    });
    expect(endOf(gone("i-2", card))).toBeNull();
  });

  it("is taken back only as a spot machine: stopped by Google, created again at AWS and Azure", () => {
    const evicted = (resource: Resource, spec: Record<string, unknown>): Resource => {
      const { metadata, spec: own } = asked(resource, spec);
      return { ...resource, metadata: { ...metadata, annotations: { "landfall.dev/simulate": "evict" } }, spec: own };
    };
    const first = { ...gcpVm, metadata: { ...gcpVm.metadata, generation: 1 } };
    const spot = { scheduling: { provisioningModel: "SPOT" } };
    expect(ends(kcc, evicted(first, spot))).toEqual({ currentStatus: "TERMINATED" });
    expect(ends(kcc, evicted(gcpVm, spot)), "once").toBeNull();
    expect(ends(kcc, evicted(first, {}))).toBeNull();
    expect(ends(ack, evicted(instance, { instanceMarketOptions: { marketType: "spot" } }))).toHaveProperty(
      "instanceID",
    );
    expect(ends(ack, evicted(instance, {}))).toBeNull();
    const again = ends(aso, evicted(azureVm, { priority: "Spot" }));
    expect(again).toHaveProperty("vmId");
    expect(again).not.toEqual({ vmId: made(aso, azureVm).status?.["vmId"] });
    expect(ends(aso, evicted(azureVm, {}))).toBeNull();
  });

  it("GCP: is stopped, unless Config Connector keeps it running", () => {
    expect(ends(kcc, asked(gcpVm, {}))).toEqual({ currentStatus: "TERMINATED" });
    expect(ends(kcc, asked(gcpVm, { desiredStatus: "RUNNING" }))).toBeNull();
    expect(made(kcc, { ...gcpVm, spec: { ...gcpVm.spec, desiredStatus: "TERMINATED" } }).status).toMatchObject({
      currentStatus: "TERMINATED",
    });
  });

  it("GCP: is not created off", () => {
    const off = { ...gcpVm, spec: { ...gcpVm.spec, desiredStatus: "TERMINATED" } };
    const refusalOf = (resource: Resource) => ruleOf(kcc, "ComputeInstance").refuses?.(resource, lookupIn([])) ?? null;
    expect(refusalOf(off)).toMatchObject({ message: expect.stringContaining("can only accept RUNNING") as unknown });
    expect(refusalOf({ ...off, status: { ...off.status, selfLink: "made" } })).toBeNull();
    expect(refusalOf({ ...gcpVm, spec: { ...gcpVm.spec, desiredStatus: "RUNNING" } })).toBeNull();
  });
});

describe("references are found", () => {
  it.each([
    ["ASO: the owner", aso, vnet, ["ResourceGroup demo/rg"]],
    ["ASO: the owner and a nested reference", aso, nic, ["ResourceGroup demo/rg", "VirtualNetworksSubnet demo/subnet"]],
    ["ACK: single and listed", ack, subnet, ["VPC demo/vpc", "RouteTable demo/routes"]],
    ["ACK: in another namespace", ack, securityGroup, ["VPC shared/vpc"]],
    ["KCC: nested, but no external image", kcc, gcpVm, ["ComputeSubnetwork demo/subnet", "ComputeAddress demo/ip"]],
  ])("%s", (_name, family, resource, expected) => {
    expect(names(family, resource)).toEqual(expected);
  });

  it("distinguishes an owner from a reference", () => {
    expect(aso.references(nic, ruleOf(aso, "NetworkInterface")).map(({ owner }) => owner)).toEqual([true, false]);
  });
});

describe("the status of a ready resource", () => {
  it("Azure: ARM ids nest as owners do", () => {
    const known = [group, vnet, nic, azureVm];
    expect(ruleOf(aso, "VirtualMachine").status(azureVm, lookupIn(known))).toMatchObject({
      id: matching(
        /^\/subscriptions\/[-0-9a-f]{36}\/resourceGroups\/rg\/providers\/Microsoft.Compute\/virtualMachines\/vm$/,
      ),
      provisioningState: "Succeeded",
      vmId: matching(/^[-0-9a-f]{36}$/),
    });
    expect(ruleOf(aso, "NetworkInterface").status(nic, lookupIn(known))["ipConfigurations"]).toEqual([
      { name: "one", privateIPAddress: "10.0.0.4" },
    ]);
  });

  it("AWS: ids and ARNs", () => {
    expect(made(ack, securityGroup).status).toMatchObject({ id: matching(/^sg-[0-9a-f]{17}$/) });
    expect(made(ack, instance).status).toMatchObject({
      state: { name: "running" },
      ackResourceMetadata: { arn: matching(/^arn:aws:ec2:eu-west-1:\d{12}:instance\/i-[0-9a-f]{17}$/) },
    });
  });

  it("GCP: the link with project and zone", () => {
    expect(made(kcc, gcpVm).status).toMatchObject({
      selfLink: "https://www.googleapis.com/compute/v1/projects/acme/zones/europe-west8-b/instances/vm",
      currentStatus: "RUNNING",
    });
  });

  it("the same object gets the same ids", () => {
    expect(made(ack, instance).status).toEqual(made(ack, instance).status);
  });
});

describe("the conditions of a family", () => {
  const refused: Phase = { name: "refused", refusal: { code: "X", message: "m", terminal: true } };
  const waiting: Phase & { name: "waiting" } = {
    name: "waiting",
    reference: { group: "network.azure.com", kind: "NetworkInterface", namespace: "demo", name: "nic", owner: false },
    ...{ exists: false, claimed: false },
  };
  const waitingOwner: Phase = {
    ...waiting,
    reference: { ...waiting.reference, kind: "ResourceGroup", name: "rg", owner: true },
  };

  it.each<[Phase, Record<string, unknown>]>([
    [{ name: "ready" }, { status: "True", reason: "Succeeded" }],
    [{ name: "creating" }, { status: "False", severity: "Info", reason: "Reconciling" }],
    [refused, { status: "False", severity: "Error", reason: "X", message: "m" }],
    [waiting, { status: "False", severity: "Warning", reason: "ReferenceNotFound" }],
    [waitingOwner, { status: "False", severity: "Warning", reason: "WaitingForOwner" }],
  ])("ASO %j", (phase, expected) => {
    expect(aso.conditions(phase, azureVm)).toEqual([
      expect.objectContaining({ type: "Ready", observedGeneration: 3, ...expected }),
    ]);
  });

  it.each<[Phase, Record<string, string>]>([
    [{ name: "ready" }, { "ACK.ReferencesResolved": "True", "ACK.ResourceSynced": "True", Ready: "True" }],
    [
      { name: "creating" },
      { "ACK.ReferencesResolved": "True", "ACK.Recoverable": "True", "ACK.ResourceSynced": "False", Ready: "False" },
    ],
    [
      refused,
      { "ACK.ReferencesResolved": "True", "ACK.Terminal": "True", "ACK.ResourceSynced": "False", Ready: "False" },
    ],
    [waiting, { "ACK.ReferencesResolved": "Unknown" }],
  ])("ACK %j", (phase, expected) => {
    const conditions = ack.conditions(phase, instance);
    expect(Object.fromEntries(conditions.map(({ type, status }) => [type, status]))).toEqual(expected);
  });

  it.each<[Phase, Record<string, unknown>]>([
    [{ name: "ready" }, { status: "True", reason: "UpToDate" }],
    [{ name: "updating" }, { status: "False", reason: "Updating" }],
    [refused, { status: "False", reason: "UpdateFailed" }],
    [
      waiting,
      { status: "False", reason: "DependencyNotFound", message: "reference NetworkInterface demo/nic is not found" },
    ],
    [
      { ...waiting, exists: true },
      { status: "False", reason: "DependencyNotReady" },
    ],
  ])("KCC %j", (phase, expected) => {
    expect(kcc.conditions(phase, gcpVm)).toEqual([expect.objectContaining({ type: "Ready", ...expected })]);
  });
});

describe("a refusal in each provider's format", () => {
  it.each([
    {
      family: aso,
      vm: azureVm,
      codes: ["QuotaExceeded", "PlatformImageNotFound", "SkuNotAvailable"],
      terminal: [false, false, true],
    },
    {
      family: ack,
      vm: instance,
      codes: ["VcpuLimitExceeded", "InvalidAMIID.NotFound", "Unsupported"],
      terminal: [false, false, false],
    },
    { family: kcc, vm: gcpVm, codes: ["QUOTA_EXCEEDED", "NOT_FOUND", "INVALID"], terminal: [false, false, false] },
  ])("$family.name", ({ family, vm, codes, terminal }) => {
    const refusals = (["quota-exceeded", "bad-image", "not-offered"] as const).map((kind) =>
      family.refusal(kind, vm, "tiny"),
    );
    expect(refusals.map(({ code }) => code)).toEqual(codes);
    expect(refusals.map((refusal) => refusal.terminal)).toEqual(terminal);
    expect(refusals[2]?.message).toContain("tiny");
  });
});

describe("resources that are kept after deletion", () => {
  it.each([
    [aso, azureVm, "serviceoperator.azure.com/reconcile-policy", "detach-on-delete"],
    [ack, instance, "services.k8s.aws/deletion-policy", "retain"],
    [kcc, gcpVm, "cnrm.cloud.google.com/deletion-policy", "abandon"],
  ] as const)("$name by annotation", (family, resource, annotation, value) => {
    const kept = { ...resource, metadata: { ...resource.metadata, annotations: { [annotation]: value } } };
    expect([family.keepsOnDelete(kept), family.keepsOnDelete(resource)]).toEqual([true, false]);
  });
});
