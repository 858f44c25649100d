import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { Kind } from "../../../../src/model/names.ts";
import type { Outcome } from "../../../../src/admission/types.ts";
import type { PolicyResult } from "../../../../src/model/policy.ts";
import type { LoadedBundle } from "../../../../src/policy/loaded-bundle.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { HOUR_SECONDS, formatTime } from "../../../../src/model/time.ts";
import { loadBundle } from "../../../../src/policy/load-bundle.ts";
import { context, create, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";
import { changedBundle } from "../../../support/bundles/watched-bundle.ts";

type Spec = Record<string, unknown>;

const policy = await loadPolicy();
const INSTALLED = { managed: [{ apiVersion: "v1", resource: "secrets", name: "web", namespace: "demo" }] };

function installed(kind: Kind, spec: Spec): WorkloadObject {
  const object = { ...vm(spec), kind };
  const stored = patched(object, admit({ ...create(object), kind }, context(policy)));
  return { ...stored, metadata: { ...stored.metadata, creationTimestamp: formatTime(NOW) }, status: INSTALLED };
}

/** The answer to the same object with other fields; `undefined` drops one. */
function change(old: WorkloadObject, fields: Spec, by = policy): Outcome {
  const spec = Object.fromEntries(
    Object.entries({ ...old.spec, ...fields }).filter(([, value]) => value !== undefined),
  );
  return admit({ ...update(old, { ...old, spec }), kind: old.kind as Kind }, context(by, NOW + HOUR_SECONDS));
}
const codesOf = (outcome: Outcome): readonly string[] => (outcome.allowed ? [] : outcome.codes);
const messageOf = (outcome: Outcome): string => (outcome.allowed ? "" : outcome.message);

/** The same places, of which each sells spot machines for next to nothing. */
const cheapSpot: LoadedBundle = {
  ...policy,
  evaluate: (input): PolicyResult => {
    const result = policy.evaluate(input);
    const candidates = result.candidates.map((one) => ({ ...one, capacity: "spot" as const, pricePerHour: 0.0001 }));
    return { ...result, candidates };
  },
};

const PLACES = {
  azure: { provider: "azure", schedulingLocation: "italynorth" },
  aws: { provider: "aws", schedulingLocation: "eu-north-1" },
  gcp: { provider: "gcp", schedulingLocation: "europe-west8" },
  elemento: { provider: "elemento" },
};
const CLOUDS = ["azure", "aws", "gcp"] as const;
const ALL = [...CLOUDS, "elemento"] as const;
const machine = (provider: (typeof ALL)[number], spec: Spec = {}): WorkloadObject =>
  installed("VmTemplate", { cpu: 1, memory: 1, ...PLACES[provider], ...spec });

const PAUSABLE = { duration: "4h", deadline: formatTime(NOW + 48 * HOUR_SECONDS), schedulingTime: formatTime(NOW) };

describe("an installed machine whose user spells out a default", () => {
  const cases: [string, Spec][] = [
    ["the boot disk", { osDisk: { sizeGiB: 30, type: "balanced" } }],
    ["the size of the boot disk alone", { osDisk: { sizeGiB: 30 } }],
    ["nothing of the boot disk", { osDisk: {} }],
    ["no disks", { disks: [] }],
    ["no public address", { network: { publicIP: false } }],
    ["its network", { network: { cidr: "10.0.0.0/16" } }],
    ["an empty network", { network: {} }],
    ["its name", { vmName: "web" }],
    ["its architecture", { arch: "amd64" }],
    ["its capacity", { capacity: "on-demand" }],
    ["no tags", { tags: {} }],
    ["no ports", { ports: [] }],
  ];
  it.each(CLOUDS.flatMap((provider) => cases.map(([what, fields]) => ({ provider, what, fields }))))(
    "passes on $provider: $what",
    ({ provider, fields }) => {
      const old = machine(provider);
      expect(messageOf(change(old, fields))).toBe("");
      // And back: what was the default stays the default when it is omitted.
      const dropped = Object.fromEntries(Object.keys(fields).map((field) => [field, undefined]));
      expect(messageOf(change(machine(provider, fields), dropped))).toBe("");
    },
  );

  it.each<[string, Spec]>([
    ["the boot disk", { osDisk: { sizeGiB: 50 } }],
    ["no disks", { disks: [] }],
    ["its name", { vmName: "web" }],
    ["no tags", { tags: {} }],
    ["no ports", { ports: [] }],
    ["no public address", { network: { publicIP: false } }],
  ])("passes on elemento: %s", (_what, fields) => {
    expect(messageOf(change(machine("elemento"), fields))).toBe("");
  });

  it.each<[(typeof CLOUDS)[number], Spec, Spec]>([
    ["aws", { disks: [{ name: "data", sizeGiB: 9 }] }, { disks: [{ name: "data", sizeGiB: 9, type: "balanced" }] }],
    ["gcp", { maxLifetime: "24h", duration: "1h" }, { maxLifetime: "1d", duration: "1h" }],
    ["gcp", { ...PAUSABLE, interruptible: {} }, { ...PAUSABLE, interruptible: { maxPauses: 4, minRun: "60m" } }],
  ])("passes on %s: %j as %j", (provider, spec, same) => {
    expect(messageOf(change(machine(provider, spec), same))).toBe("");
  });
});

describe("an installed machine whose user drops a field", () => {
  it.each<[(typeof ALL)[number], Spec, string, string]>([
    ["aws", { osDisk: { sizeGiB: 40 } }, "ADM_IGNORED", "spec.osDisk.sizeGiB cannot change from 40 to 30"],
    ["aws", { osDisk: { type: "premium" } }, "ADM_IGNORED", "spec.osDisk.type cannot change from premium to balanced"],
    [
      "aws",
      { userData: "#cloud-config" },
      "ADM_IGNORED",
      "spec.userData cannot change from the earlier value to the default",
    ],
    ["aws", { network: { publicIP: true } }, "ADM_IGNORED", "spec.network.publicIP cannot change from true to false"],
    ["aws", { vmName: "db" }, "ADM_IMMUTABLE", "spec.vmName cannot change from db to web"],
    ["azure", { osDisk: { sizeGiB: 40 } }, "ADM_IMMUTABLE", "spec.osDisk.sizeGiB cannot change from 40 to 30"],
    ["azure", { osDisk: { type: "premium" } }, "ADM_IMMUTABLE", "spec.osDisk.type"],
    ["azure", { os: "debian-12" }, "ADM_IMMUTABLE", "spec.os cannot change from debian-12 to ubuntu-24.04"],
    ["gcp", { osDisk: { sizeGiB: 40, type: "premium" } }, "ADM_IMMUTABLE", "spec.osDisk.sizeGiB"],
    ["gcp", { network: { cidr: "10.9.0.0/16" } }, "ADM_IMMUTABLE", "spec.network.cidr"],
    ["gcp", { vmName: "db" }, "ADM_IMMUTABLE", "spec.vmName"],
    ["elemento", { osDisk: { sizeGiB: 60 } }, "ADM_IGNORED", "spec.osDisk.sizeGiB cannot change from 60 to 50"],
  ])("is denied on %s without %j: %s", (provider, fields, code, text) => {
    const dropped = Object.fromEntries(Object.keys(fields).map((field) => [field, undefined]));
    const outcome = change(machine(provider, fields), dropped);
    expect(codesOf(outcome)).toEqual([code]);
    expect(messageOf(outcome)).toContain(text);
  });

  it("is denied a part of the boot disk left out", () => {
    const old = machine("gcp", { osDisk: { sizeGiB: 40, type: "premium" } });
    expect(messageOf(change(old, { osDisk: { sizeGiB: 40 } }))).toContain("spec.osDisk.type");
    expect(messageOf(change(old, { osDisk: { type: "premium" } }))).toContain("spec.osDisk.sizeGiB");
  });

  it("is denied a boot disk below the default, where none was set", () => {
    const outcome = change(machine("azure"), { osDisk: { sizeGiB: 20 } });
    expect(messageOf(outcome)).toContain("spec.osDisk.sizeGiB cannot change from 30 to 20");
  });

  it("keeps the boot disk that admission wrote", async () => {
    const bundle = await changedBundle((data) => {
      data.landfall["settings"] = { ...data.landfall["settings"], osDisk: { sizeGiB: 64, type: "premium" } };
    });
    const withDisk = await loadBundle(bundle, "test");
    const object = vm({ cpu: 2, memory: 4, ...PLACES.aws });
    const stored = patched(object, admit(create(object), context(withDisk)));
    const old = { ...stored, status: INSTALLED };
    const { osDisk, ...rest } = old.spec ?? {};
    expect(osDisk).toEqual({ sizeGiB: 64, type: "premium" });
    const bare = { ...old, spec: rest };
    expect(patched(bare, admit(update(old, bare), context(withDisk))).spec?.["osDisk"]).toEqual(osDisk);
    // Its user's own is not replaced by the platform's default either.
    const own = machine("aws", { osDisk: { sizeGiB: 40 } });
    const { osDisk: _own, ...without } = own.spec ?? {};
    const outcome = admit(update(own, { ...own, spec: { ...without, maxLatency: 500 } }), context(withDisk));
    expect(messageOf(outcome)).toContain("spec.osDisk.sizeGiB cannot change from 40 to 64");
  });

  it.each<[(typeof CLOUDS)[number], string | undefined, readonly string[]]>([
    ["aws", "4.00", ["ADM_IGNORED"]],
    ["aws", undefined, ["ADM_IGNORED"]],
    ["azure", "4.00", ["ADM_IMMUTABLE"]],
    ["gcp", "4.00", ["POL_MAX_PRICE"]],
  ])("is answered on %s for the price limit %s of a spot machine instead of 3: %j", (provider, maxPrice, codes) => {
    const object = vm({ cpu: 1, memory: 1, ...PLACES[provider], capacity: "either", maxPrice: "3" });
    const stored = patched(object, admit(create(object), context(cheapSpot)));
    expect(stored.spec?.["capacityType"]).toBe("spot");
    const changed = change({ ...stored, status: INSTALLED }, { maxPrice }, cheapSpot);
    expect(codesOf(changed)).toEqual(codes);
    // On demand, the limit is only Landfall's.
    expect(codesOf(change(machine(provider, { maxPrice: "3" }), { maxPrice }))).toEqual([]);
  });

  it("can get another price limit on aws while there is no machine because of it, and nothing else", () => {
    const object = vm({ cpu: 1, memory: 1, ...PLACES.aws, capacity: "either", maxPrice: "3" });
    const stored = patched(object, admit(create(object), context(cheapSpot)));
    const message = "Instance web: SpotMaxPriceTooLow: Your Spot request price is too low [REL_PROVIDER_RETRYING]";
    const conditions = [{ type: "Ready", status: "False", reason: "ProviderRetrying", message }];
    const failed = { ...stored, status: { ...INSTALLED, conditions } };
    // As on Google Cloud: the bundle knows no spot price there.
    expect(codesOf(change(failed, { maxPrice: "4.00" }, cheapSpot))).toEqual(["POL_MAX_PRICE"]);
    expect(codesOf(change(failed, { maxPrice: "4.00", userData: "#!/bin/sh" }, cheapSpot))).toEqual(["ADM_IGNORED"]);
  });

  it.each<[(typeof CLOUDS)[number], string, string | undefined, readonly string[]]>([
    ["aws", "delete", "keep", ["ADM_IGNORED"]],
    ["aws", "delete", undefined, ["ADM_IGNORED"]],
    ["aws", "keep", "delete", []],
    ["gcp", "delete", "keep", []],
  ])("is answered on %s for the end %s that becomes %s: %j", (provider, whenDone, next, codes) => {
    const old = machine(provider, { duration: "4h", whenDone, schedulingTime: formatTime(NOW) });
    expect(codesOf(change(old, { whenDone: next }))).toEqual(codes);
  });

  it("keeps its zone and image", () => {
    const old = machine("aws");
    const own = machine("aws", { zone: old.spec?.["zone"], image: old.spec?.["image"] });
    const { zone, image, ...rest } = own.spec ?? {};
    const outcome = change(own, { zone: undefined, image: undefined });
    expect(patched({ ...own, spec: rest }, outcome).spec).toMatchObject({ zone, image });
  });
});

const pool = { name: "system", count: 2, cpu: 2, memory: 8 };
const clusterOn = (provider: (typeof ALL)[number], spec: Spec = {}): WorkloadObject =>
  installed("KaasCluster", { provider, nodePools: [pool], ...spec });

describe("an installed cluster whose user spells out a default", () => {
  const cases: [string, Spec][] = [
    ["one zone", { highAvailability: false }],
    ["its networks", { network: { nodeCidr: "10.0.0.0/16", serviceCidr: "172.20.0.0/16" } }],
    ["one of its networks", { network: { serviceCidr: "172.20.0.0/16" } }],
    ["an empty network", { network: {} }],
    ["its endpoint", { endpoint: "public" }],
    ["a pool's disk", { nodePools: [{ ...pool, diskGiB: 64 }] }],
    ["a pool without labels and taints", { nodePools: [{ ...pool, labels: {}, taints: [] }] }],
    ["no GPU", { nodePools: [{ ...pool, gpu: 0 }] }],
    ["no tags", { tags: {} }],
  ];
  it.each(CLOUDS.flatMap((provider) => cases.map(([what, fields]) => ({ provider, what, fields }))))(
    "passes on $provider: $what",
    ({ provider, fields }) => {
      expect(messageOf(change(clusterOn(provider), fields))).toBe("");
      const dropped = Object.fromEntries(
        Object.keys(fields).map((field) => [field, field === "nodePools" ? [pool] : undefined]),
      );
      expect(messageOf(change(clusterOn(provider, fields), dropped))).toBe("");
    },
  );

  it.each(["azure", "gcp"] as const)("passes on %s: the network of its pods", (provider) => {
    expect(messageOf(change(clusterOn(provider), { network: { podCidr: "10.64.0.0/14" } }))).toBe("");
  });

  it.each(CLOUDS)("passes on %s: the one node of a pool", (provider) => {
    const one = { name: "system", cpu: 2, memory: 8, diskGiB: 64 };
    expect(messageOf(change(clusterOn(provider, { nodePools: [one] }), { nodePools: [{ ...one, count: 1 }] }))).toBe(
      "",
    );
  });

  it.each<[string, Spec]>([
    ["one control plane", { highAvailability: false }],
    ["its network", { network: { nodeCidr: "10.0.0.0/16" } }],
    ["a pool's disk", { nodePools: [{ ...pool, memory: 2, diskGiB: 64 }] }],
  ])("passes on elemento: %s", (_what, fields) => {
    expect(messageOf(change(clusterOn("elemento", { nodePools: [{ ...pool, memory: 2 }] }), fields))).toBe("");
  });
});

describe("an installed cluster whose user drops a field", () => {
  it.each<[(typeof ALL)[number], Spec, Spec, string]>([
    ["azure", { network: { nodeCidr: "10.32.0.0/16" } }, { network: undefined }, "ADM_IMMUTABLE"],
    ["aws", { network: { serviceCidr: "172.21.0.0/16" } }, { network: {} }, "ADM_IMMUTABLE"],
    ["gcp", { endpoint: "private" }, { endpoint: undefined }, "ADM_IMMUTABLE"],
    ["gcp", { highAvailability: true }, { highAvailability: undefined }, "ADM_IMMUTABLE"],
    ["gcp", { nodePools: [{ ...pool, diskGiB: 100 }] }, { nodePools: [pool] }, "ADM_POOL_FIXED"],
    ["gcp", { nodePools: [{ ...pool, labels: { a: "b" } }] }, { nodePools: [pool] }, "ADM_POOL_FIXED"],
    ["aws", { nodePools: [{ ...pool, gpu: 1 }] }, { nodePools: [pool] }, "ADM_POOL_FIXED"],
    ["gcp", { nodePools: [{ ...pool, gpu: 1 }] }, { nodePools: [pool] }, "ADM_POOL_FIXED"],
    ["elemento", { nodePools: [{ ...pool, memory: 2 }], tags: { a: "b" } }, { tags: undefined }, "ADM_CLUSTER_FIXED"],
  ])("is denied on %s with %j and then %j: %s", (provider, fields, next, code) => {
    expect(codesOf(change(clusterOn(provider, fields), next))).toEqual([code]);
  });

  it("is denied tags on elemento, which has no call that changes a cluster", () => {
    const old = clusterOn("elemento", { nodePools: [{ ...pool, memory: 2 }] });
    expect(codesOf(change(old, { tags: { a: "b" } }))).toEqual(["ADM_CLUSTER_FIXED"]);
    expect(codesOf(change(old, { deletionPolicy: "retain" }))).toEqual([]);
  });
});
