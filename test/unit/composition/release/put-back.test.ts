import { expect, it } from "vitest";
import { fieldsToPutBack, putBackFields } from "../../../../src/composition/release/drift/put-back.ts";
import type { CompositionContext } from "../../../../src/composition/context/composition-context.ts";
import type { Release } from "../../../../src/composition/managed/release.ts";
import { machineTimes } from "../../../../src/composition/status/remade-machines.ts";
import type { Resource } from "../../../../src/composition/types.ts";

const EKS = "eks.services.k8s.aws/v1alpha1";
const EC2 = "ec2.services.k8s.aws/v1alpha1";

/** A live resource whose operator, `controller`, wrote these fields; a person wrote `others`. */
function live(kind: string, spec: Record<string, unknown>, others: string[] = []): Resource {
  const fields = (names: string[]) => ({ "f:spec": Object.fromEntries(names.map((name) => [`f:${name}`, {}])) });
  const own = Object.keys(spec).filter((name) => !others.includes(name));
  const managedFields = [
    { manager: "controller", subresource: "status", fieldsV1: {} },
    ...(own.length === 0 ? [] : [{ manager: "controller", fieldsV1: fields(own) }]),
    ...(others.length === 0 ? [] : [{ manager: "kubectl", fieldsV1: fields(others) }]),
  ];
  const metadata = { name: "web", managedFields } as Resource["metadata"];
  return { apiVersion: kind === "Instance" ? EC2 : EKS, kind, metadata, spec, status: { conditions: [] } };
}

const wanted = (kind: string, spec: Record<string, unknown>): Resource => ({
  ...{ apiVersion: kind === "Instance" ? EC2 : EKS, kind, metadata: { name: "web" }, spec },
});

const DISKS = [{ deviceName: "/dev/sda1", ebs: { volumeSize: 30 } }];
const CARDS = [{ deviceIndex: 0, subnetID: "subnet-1" }];

it.each<[string, Resource, Resource, Record<string, unknown>]>([
  [
    "a release that ACK wrote",
    wanted("Nodegroup", { version: "1.34" }),
    live("Nodegroup", { releaseVersion: "1.34.2-20261101" }),
    { releaseVersion: null },
  ],
  [
    "a release of the version before that a person wrote",
    wanted("Nodegroup", { version: "1.35" }),
    live("Nodegroup", { releaseVersion: "1.34.2-20261101" }, ["releaseVersion"]),
    { releaseVersion: null },
  ],
  [
    "1.3 is not 1.35",
    wanted("Nodegroup", { version: "1.3" }),
    live("Nodegroup", { releaseVersion: "1.35.1-20261120" }, ["releaseVersion"]),
    { releaseVersion: null },
  ],
  [
    "a release of the version that a person wrote",
    wanted("Nodegroup", { version: "1.35" }),
    live("Nodegroup", { releaseVersion: "1.35.1-20261120" }, ["releaseVersion"]),
    {},
  ],
  ["a pool that has none yet", wanted("Nodegroup", { version: "1.35" }), live("Nodegroup", {}), {}],
  [
    "one that the manifest sets itself",
    wanted("Nodegroup", { version: "1.35", releaseVersion: "x" }),
    live("Nodegroup", { releaseVersion: "1.34.2-20261101" }),
    {},
  ],
  [
    "an empty release, with which the chart cleared it",
    wanted("Nodegroup", { version: "1.35", releaseVersion: "" }),
    live("Nodegroup", { releaseVersion: "" }, ["releaseVersion"]),
    { releaseVersion: null },
  ],
  [
    "a release that ACK wrote after the chart had cleared it",
    wanted("Nodegroup", { version: "1.35", releaseVersion: "" }),
    live("Nodegroup", { releaseVersion: "1.35.1-20261101" }),
    { releaseVersion: null },
  ],
  [
    "an empty list of a machine's network cards",
    wanted("Instance", { networkInterfaces: [] }),
    live("Instance", { networkInterfaces: [] }, ["networkInterfaces"]),
    { networkInterfaces: null },
  ],
  ["another kind", wanted("Cluster", { version: "1.35" }), live("Cluster", { releaseVersion: "1.34.2-1" }), {}],
  [
    "a machine's network cards and disks",
    wanted("Instance", { blockDeviceMappings: DISKS }),
    live("Instance", { networkInterfaces: CARDS }),
    { networkInterfaces: null, blockDeviceMappings: DISKS },
  ],
  [
    "disks that are there",
    wanted("Instance", { blockDeviceMappings: DISKS }),
    live("Instance", { blockDeviceMappings: DISKS }),
    {},
  ],
  [
    "a machine that its operator has not seen",
    wanted("Instance", { blockDeviceMappings: DISKS }),
    { ...wanted("Instance", {}) },
    {},
  ],
])("%s", (_, manifest, found, fields) => {
  expect(fieldsToPutBack(manifest, found)).toEqual(fields);
});

it("is written as the namespace's identity, and given up where the operator writes it again", async () => {
  const patches: unknown[] = [];
  const found = live("Nodegroup", { releaseVersion: "1.34.2-20261101" });
  const object = {
    ...{ name: "web", kind: "Nodegroup", manifest: wanted("Nodegroup", { version: "1.34" }) },
    entry: { path: "/pools/web" },
  };
  const context = {
    managed: { get: () => found, isWhole: () => true, read: () => Promise.resolve(found) },
    tenant: (namespace: string) => ({
      patch: (...args: unknown[]) => {
        patches.push([namespace, ...args]);
        return Promise.resolve();
      },
    }),
    log: { info: () => undefined },
  } as unknown as CompositionContext;
  const release = { namespace: "demo", objects: [object], putBack: new Map() } as unknown as Release;
  for (let times = 0; times < 5; times += 1) await putBackFields(context, release);
  expect(patches).toEqual(
    Array.from({ length: 3 }, () => ["demo", "/pools/web", "merge", { spec: { releaseVersion: null } }]),
  );
});

it("counts its attempts for each machine that the operator creates", async () => {
  let patches = 0;
  let found = live("Instance", { networkInterfaces: CARDS });
  const object = {
    ...{ name: "web", kind: "Instance", manifest: wanted("Instance", {}) },
    entry: { path: "/machines/web" },
  };
  const context = {
    managed: { get: () => found, isWhole: () => true, read: () => Promise.resolve(found) },
    tenant: () => ({ patch: () => Promise.resolve((patches += 1)) }),
    log: { info: () => undefined },
  } as unknown as CompositionContext;
  const release = { namespace: "demo", objects: [object], putBack: new Map() } as unknown as Release;
  for (const instanceID of ["i-1", "i-2", "i-3", "i-4", "i-4", "i-4", "i-4"]) {
    found = { ...found, status: { ...found.status, instanceID } };
    await putBackFields(context, release);
  }
  expect(patches).toBe(6);
});

it("puts nothing back of the third machine that was never ready, so that EC2 refuses a fourth", async () => {
  let patches = 0;
  let found = live("Instance", { networkInterfaces: CARDS });
  const object = {
    ...{ name: "web", kind: "Instance", apiVersion: EC2, manifest: wanted("Instance", {}) },
    entry: { path: "/machines/web" },
  };
  const context = {
    managed: { get: () => found, isWhole: () => true, read: () => Promise.resolve(found) },
    tenant: () => ({ patch: () => Promise.resolve((patches += 1)) }),
    log: { info: () => undefined },
  } as unknown as CompositionContext;
  const release = { namespace: "demo", objects: [object], putBack: new Map() } as unknown as Release;
  const conditions = [{ type: "ACK.ResourceSynced", status: "False" }];
  let times: ReadonlyMap<string, number> = new Map();
  for (const instanceID of ["i-1", "i-2", "i-3", "i-4"]) {
    found = { ...found, status: { conditions, instanceID } };
    await putBackFields(context, release, times);
    times = machineTimes([{ ...object, live: found }], times, 0);
  }
  expect(patches).toBe(2);
});
