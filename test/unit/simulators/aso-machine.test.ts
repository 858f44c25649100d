import { describe, expect, it } from "vitest";
import catalog from "../../../catalog/instance-types.json" with { type: "json" };
import { decidePhase } from "../../../src/local/simulators/decide-phase.ts";
import { listAt } from "../../../src/local/simulators/fields.ts";
import { aso } from "../../../src/local/simulators/aso/aso.ts";
import type { Resource } from "../../../src/local/simulators/types.ts";
import { lookupIn, made, resources, ruleOf } from "./resources.ts";

const COMPUTE = "compute.azure.com/v1api20220301";
const group = made(
  aso,
  ...(resources(`
apiVersion: resources.azure.com/v1api20200601
kind: ResourceGroup
metadata: {name: rg}
spec: {location: westeurope}
`) as [Resource]),
);

function disk(name: string, sizeGiB: number): Resource {
  return made(
    aso,
    ...(resources(`
apiVersion: ${COMPUTE}
kind: Disk
metadata: {name: ${name}}
spec: {location: westeurope, owner: {name: rg}, creationData: {createOption: Empty}, diskSizeGB: ${String(sizeGiB)}}
`) as [Resource]),
    [group],
  );
}

const DISKS = [disk("web-data", 100), disk("web-logs", 100), disk("web-large", 5000)];
const MORE = Array.from({ length: 9 }, (_, index) => disk(`d${String(index)}`, 10));
const KNOWN = [group, ...DISKS, ...MORE];

function machine(size: string, luns: Record<string, number>, systemDisk = 64): Resource {
  const disks = Object.entries(luns).map(
    ([name, lun]) =>
      `{lun: ${String(lun)}, managedDisk: {reference: {group: compute.azure.com, kind: Disk, name: ${name}}}}`,
  );
  return resources(`
apiVersion: ${COMPUTE}
kind: VirtualMachine
metadata: {name: web}
spec:
  location: westeurope
  owner: {name: rg}
  hardwareProfile: {vmSize: ${size}}
  networkProfile: {networkInterfaces: []}
  storageProfile:
    imageReference: {publisher: a, offer: b, sku: c, version: d}
    osDisk: {diskSizeGB: ${String(systemDisk)}}
    dataDisks: [${disks.join(", ")}]
`)[0] as Resource;
}

interface Refused {
  code: string;
  terminal: boolean;
}

/** What Azure answers to a resource: `null` if it is ready at last. */
function answerTo(resource: Resource, known: readonly Resource[] = KNOWN): Refused | null {
  const rule = ruleOf(aso, resource.kind);
  const world = {
    ...{ family: aso, rule, lookup: lookupIn(known), offers: () => true },
    ...{ isReady: (other: Resource) => aso.isReady(other), isDone: false },
  };
  const { phase } = decidePhase(resource, world, { generation: 1, startedAt: 0 }, { nowMs: 1e12, speed: 1 });
  if (phase.name !== "refused") {
    expect(phase.name).toBe("ready");
    return null;
  }
  const { code, terminal } = phase.refusal;
  return { code, terminal };
}

/** The same for the change of a resource that is there. */
const answer = (before: Resource, after: Resource): Refused | null =>
  answerTo({ ...after, status: made(aso, before, KNOWN).status ?? {} });

const D2 = "Standard_D2s_v5";
const FIXED = { code: "PropertyChangeNotAllowed", terminal: true };
const NOT_NOW = { code: "OperationNotAllowed", terminal: false };
const NOT_BOOTED = { code: "InvalidParameter", terminal: true };

describe("Azure, as it is simulated", () => {
  it.each([
    ["another disk at a LUN whose disk goes", { "web-logs": 0 }, FIXED],
    ["two disks that change their places", { "web-data": 1, "web-logs": 0 }, FIXED],
    ["another order", { "web-logs": 1, "web-data": 0 }, null],
    ["one disk less", { "web-logs": 1 }, null],
    ["one disk more", { "web-data": 0, "web-logs": 1, "web-large": 2 }, null],
  ])("answers to %s", (_what, luns, expected) => {
    expect(answer(machine(D2, { "web-data": 0, "web-logs": 1 }), machine(D2, luns))).toEqual(expected);
  });

  it.each([
    ["Standard_D2s_v5", "Standard_D4s_v5", null],
    ["Standard_D2s_v5", "Standard_E2as_v5", null],
    ["Standard_D2als_v6", "Standard_E2s_v6", null],
    ["Standard_D2s_v5", "Standard_D2ads_v5", NOT_NOW],
    ["Standard_D2s_v5", "Standard_D2s_v3", NOT_NOW],
    ["Standard_D2as_v4", "Standard_D2as_v5", NOT_NOW],
    ["Standard_D2as_v4", "Standard_D2ds_v4", null],
    ["Standard_D2als_v6", "Standard_E2as_v5", NOT_BOOTED],
    ["Standard_D2s_v5", "Standard_D2s_v6", NOT_BOOTED],
  ])("answers to %s that becomes %s", (from, to, expected) => {
    expect(answer(machine(from, {}), machine(to, {}))).toEqual(expected);
  });

  it.each([
    ["westeurope", "1", null],
    ["westeurope", "us-west-1a", { code: "InvalidAvailabilityZone", terminal: true }],
    ["westus", "1", { code: "LocationNotSupportAvailabilityZones", terminal: true }],
  ])("answers to a new machine in %s and zone %s", (location, zone, expected) => {
    const one = machine(D2, {});
    expect(answerTo({ ...one, spec: { ...one.spec, location, zones: [zone] } })).toEqual(expected);
  });

  it.each([
    ["Standard_D2als_v6", "Spot", null],
    ["Standard_B2ls_v2", "Regular", null],
    ["Standard_B2ls_v2", "Spot", { code: "AzureSpotIsNotSupportedForThisVMSize", terminal: false }],
  ])("answers to a new machine of %s with the priority %s", (size, priority, expected) => {
    const one = machine(size, {});
    expect(answerTo({ ...one, spec: { ...one.spec, priority } })).toEqual(expected);
  });

  it.each([
    [-1, null],
    [0.12345, null],
    [0.123456, { code: "MaxPriceValueInvalid", terminal: true }],
    [0, { code: "MaxPriceValueInvalid", terminal: true }],
  ])("answers to a new spot machine for at most %d USD", (maxPrice, expected) => {
    const one = machine(D2, {});
    expect(answerTo({ ...one, spec: { ...one.spec, priority: "Spot", billingProfile: { maxPrice } } })).toEqual(
      expected,
    );
  });

  it.each([
    ["Standard_D2s_v5", 4, null],
    ["Standard_D2s_v5", 5, NOT_NOW],
    ["Standard_D2als_v6", 5, NOT_NOW],
    ["Standard_D2s_v6", 8, null],
    ["Standard_D2s_v6", 9, NOT_NOW],
  ])("answers to %s with %i data disks", (size, count, expected) => {
    const disks = Object.fromEntries(Array.from({ length: count }, (_, lun) => [`d${String(lun)}`, lun]));
    expect(answer(machine(size, {}), machine(size, disks))).toEqual(expected);
  });

  it.each([
    [10, [], NOT_NOW],
    [29, [], NOT_NOW],
    [30, ["ssh-ed25519 AAAA"], null],
    [64, ["ecdsa-sha2-nistp256 AAAA"], { code: "InvalidParameter", terminal: true }],
  ])("answers to a new machine with a system disk of %i GB and the keys %o", (size, keys, expected) => {
    const { spec, ...rest } = machine(D2, {}, size);
    const publicKeys = keys.map((keyData) => ({ path: "/home/a/.ssh/authorized_keys", keyData }));
    expect(
      answerTo({ ...rest, spec: { ...spec, osProfile: { linuxConfiguration: { ssh: { publicKeys } } } } }),
    ).toEqual(expected);
  });

  it("changes the sizes of one group of the catalog into each other, and of two groups never", () => {
    const groups = Map.groupBy(Object.entries(catalog.providers.azure.types), ([, { resizeGroup }]) => resizeGroup);
    const named = [...groups].filter(([group]) => /^(SCSI|NVMe)/.test(group));
    expect(named).toHaveLength(4);
    for (const [group, types] of named) {
      const [first = ""] = types.map(([name]) => name);
      for (const [other, others] of named) {
        const answers = new Set(others.map(([name]) => answer(machine(first, {}), machine(name, {})) === null));
        expect([group, other, ...answers]).toEqual([group, other, group === other]);
      }
    }
  });

  it.each([
    ["a larger system disk", machine(D2, {}), machine(D2, {}, 128), NOT_NOW],
    ["a smaller system disk", machine(D2, {}), machine(D2, {}, 32), NOT_NOW],
    ["a larger data disk", disk("web-data", 100), disk("web-data", 200), null],
    ["a data disk that grows beyond 4 TiB", disk("web-data", 100), disk("web-data", 5000), NOT_NOW],
    ["a data disk that was larger than 4 TiB", disk("web-data", 5000), disk("web-data", 6000), null],
    ["a smaller data disk", disk("web-data", 100), disk("web-data", 50), NOT_NOW],
  ])("answers to %s", (_what, before, after, expected) => {
    expect(answer(before, after)).toEqual(expected);
  });

  it.each([
    ["Premium_LRS", 4095, {}, null],
    ["Premium_LRS", 4096, {}, "BadRequest"],
    ["Premium_LRS", 4096, { caching: "None" }, null],
    ["StandardSSD_LRS", 4096, {}, null],
    ["StandardSSD_LRS", 4096, { caching: "ReadWrite" }, "BadRequest"],
  ])("attaches a disk of the type %s with %d GiB and %j, or not", (type, sizeGiB, caching, code) => {
    const large = disk("web-large", sizeGiB);
    const cached = { ...large, spec: { ...large.spec, sku: { name: type } } };
    const one = machine(D2, { "web-large": 0 });
    const [data = {}] = listAt(one.spec, "storageProfile.dataDisks");
    Object.assign(data, caching);
    expect(answerTo(one, [group, cached])?.code ?? null).toBe(code);
  });

  it.each([
    ["dedicated=x:NoSchedule", { code: "SystemPoolHasRestrictedTaint", terminal: true }],
    ["dedicated=x:PreferNoSchedule", null],
    ["CriticalAddonsOnly=true:NoSchedule", null],
  ])("answers to the taint %s of a cluster's first pool", (taint, expected) => {
    const cluster = (taints: string): Resource =>
      resources(`
apiVersion: containerservice.azure.com/v1api20240901
kind: ManagedCluster
metadata: {name: web}
spec:
  location: westeurope
  owner: {name: rg}
  dnsPrefix: web
  agentPoolProfiles: [{name: first, mode: System, count: 1, vmSize: ${D2}, nodeTaints: [${taints}]}]
`)[0] as Resource;
    expect(answer(cluster(""), cluster(JSON.stringify(taint)))).toEqual(expected);
  });

  it.each([
    ["Debian:debian-12:12", "Standard_D2as_v6", "BadRequest"],
    ["Debian:debian-12:12", "Standard_D2as_v5", null],
    ["Debian:debian-12:12-gen2", "Standard_D2as_v6", null],
    ["Canonical:0001-com-ubuntu-server-jammy:22_04-lts", "Standard_E2s_v7", "BadRequest"],
    ["Canonical:ubuntu-24_04-lts:server", "Standard_E2s_v7", null],
  ])("boots the image %s on %s, or not", (image, size, code) => {
    const [publisher, offer, sku] = image.split(":");
    const made = machine(size, {});
    const storageProfile = { imageReference: { publisher, offer, sku, version: "latest" }, osDisk: { diskSizeGB: 64 } };
    const refused = ruleOf(aso, "VirtualMachine").refuses?.(
      { ...made, spec: { ...made.spec, storageProfile } },
      lookupIn(KNOWN),
    );
    expect(refused?.code ?? null).toBe(code);
  });
});
