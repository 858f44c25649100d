import { expect, it } from "vitest";
import { apiPath } from "../../../../../src/cluster/api-path.ts";
import type { KubeClient } from "../../../../../src/cluster/client/create-client.ts";
import type { CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { finishRemoval } from "../../../../../src/composition/gone/finish-removals.ts";
import { openRemovals, type Removal } from "../../../../../src/composition/record/open-removals.ts";
import { beginRemoval } from "../../../../../src/composition/remove/begin-removal.ts";
import { removeFound } from "../../../../../src/composition/remove/remove-release.ts";
import type { Resource } from "../../../../../src/composition/types.ts";
import type { Retained } from "../../../../../src/model/runs/retained.ts";
import { memoryRemovals } from "../../../../support/composition/memory-removals.ts";
import { secretStore } from "../../../../support/composition/secret-store.ts";

const KEPT = "cnrm.cloud.google.com/deletion-policy";
const COMPUTE = "compute.cnrm.cloud.google.com/v1beta1";
const MACHINES = apiPath`/apis/compute.cnrm.cloud.google.com/v1beta1/namespaces/demo/computeinstances`;
const ID = "compute.cnrm.cloud.google.com ComputeInstance web";
const OBJECT = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/demo/vmtemplates/web`;
const removal: Removal = {
  ...{ kind: "VmTemplate", namespace: "demo", name: "web", uid: "one", release: "web-one", place: "gcp/europe-west3" },
  ...{ running: [{ place: "gcp/europe-west3", vcpus: 8, memoryGiB: 32, pricePerHour: null }], objects: [ID], kept: [] },
};
const object: Resource = {
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", spec: {} },
  metadata: { namespace: "demo", name: "web", uid: "one", deletionTimestamp: "x" },
  status: { managed: [{ path: `${MACHINES}/web` }] },
};

/** A cluster whose operator still deletes the machine, which a tenant has annotated. */
function world(recorded: Removal) {
  const live: Resource = {
    ...{ apiVersion: COMPUTE, kind: "ComputeInstance" },
    metadata: { name: "web", deletionTimestamp: "x", annotations: { [KEPT]: "abandon" } },
  };
  const [written, retained]: [unknown[], Retained[]] = [[], []];
  const resource = { kind: "ComputeInstance", name: "computeinstances", namespaced: true };
  const own = { kind: "VmTemplate", name: "vmtemplates", namespaced: true };
  const context = {
    removals: memoryRemovals(recorded),
    client: { get: (path: string) => Promise.resolve(path.includes("vmtemplates") ? null : { kind: "Namespace" }) },
    clientIn: () => Promise.resolve(),
    tenant: () => ({
      get: () => Promise.resolve(live),
      patch: (path: string, _: string, body: unknown) => Promise.resolve(void written.push({ path, body })),
    }),
    discovery: {
      group: (name: string) =>
        Promise.resolve([
          name === "composition.krateo.io"
            ? { apiVersion: "composition.krateo.io/v0-2-0", resources: [own] }
            : { apiVersion: COMPUTE, resources: [resource] },
        ]),
      find: () => Promise.resolve(resource),
    },
    records: {
      ...{ mark: () => Promise.resolve(null), read: () => Promise.resolve(null) },
      ...{ claims: () => Promise.resolve([]), running: () => Promise.resolve([]) },
    },
    retentions: { record: (one: Retained) => Promise.resolve(void retained.push(one)) },
    ...{ keys: null, nowSeconds: () => 1_800_000_000, releases: new Map(), uninstalled: new Map() },
    log: { info: () => undefined, warn: () => undefined },
  } as unknown as CompositionContext;
  return { context, written, retained };
}

const putBack = [{ path: `${MACHINES}/web`, body: { metadata: { annotations: { [KEPT]: "delete" } } } }];

it("377: a machine that is annotated after its object is gone is deleted, and counts as left", async () => {
  const { context, written, retained } = world(removal);
  await finishRemoval(context, removal);
  expect(written).toEqual(putBack);
  expect(retained).toMatchObject([
    { uid: "one-left", release: "web-one", workload: { vcpus: 8, place: removal.place } },
  ]);
  expect(await context.removals.of("one")).not.toBeNull();
});

it("377: nor does another controller than the one that called helm leave it", async () => {
  const { context, written, retained } = world(removal);
  expect(await removeFound(context, { key: "vmtemplates/demo/web", path: OBJECT, object }, null)).toHaveLength(1);
  expect(written).toEqual(putBack);
  expect(retained).toHaveLength(1);
});

it.each<[string, Removal]>([
  ["what the release itself keeps", { ...removal, kept: [ID] }],
  ["what a record of an earlier version of Landfall names", { ...removal, kept: undefined }],
])("377: %s stays annotated", async (_, recorded) => {
  const { context, written, retained } = world(recorded);
  await finishRemoval(context, recorded);
  expect([written, retained]).toEqual([[], []]);
});

/** A record of two machines, of which the release keeps one. */
const manifest = ["web", "kept"].map((name) =>
  JSON.stringify({
    ...{ apiVersion: COMPUTE, kind: "ComputeInstance" },
    metadata: { name, annotations: { [KEPT]: name === "kept" ? "abandon" : "delete" } },
  }),
);

it("377: the record of a removal says what the release keeps, also to another controller", async () => {
  const { client, objects } = secretStore();
  const listing = {
    ...client,
    get: (path: string) =>
      path.endsWith("/secrets")
        ? Promise.resolve({ apiVersion: "v1", kind: "SecretList", metadata: {}, items: [...objects.values()] })
        : client.get(path as never),
  } as unknown as KubeClient;
  const revision = {
    ...{ secret: "s", revision: 1, status: "deployed", createdAt: 0, copy: "" },
    ...{ labels: {}, release: { config: {}, manifest: manifest.join("\n---\n") } },
  };
  const { objects: _objects, kept: _kept, ...mark } = removal;
  const context = {
    removals: openRemovals(listing, "landfall-system"),
    records: { mark: () => Promise.resolve(mark), read: () => Promise.resolve({ revisions: [revision] }) },
  } as unknown as CompositionContext;
  await beginRemoval(context, { key: "vmtemplates/demo/web", path: OBJECT, object }, "web-one");
  const known = await openRemovals(listing, "landfall-system").of("one");
  expect(known?.objects).toEqual([ID, `${ID.slice(0, -3)}kept`]);
  expect(known?.kept).toEqual([`${ID.slice(0, -3)}kept`]);
});
