// Without the optional policy, anyone who may edit a namespace makes objects of the providers' operators, each as large as the API server stores it.
import { expect, it, onTestFinished } from "vitest";
import type { ApiPath } from "../../../../../src/cluster/api-path.ts";
import { ApiError } from "../../../../../src/cluster/client/api-error.ts";
import type { KubeClient, ReadOptions } from "../../../../../src/cluster/client/create-client.ts";
import { discover } from "../../../../../src/cluster/discover.ts";
import { keepComposition } from "../../../../../src/composition/controller/keep-composition.ts";
import type { Composition, CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import type { Awaited } from "../../../../../src/composition/managed/read-awaits.ts";
import { markOf } from "../../../../../src/composition/release/awaited-marks.ts";
import { keepManaged } from "../../../../../src/composition/managed/keep-managed.ts";
import type { Release, ReleaseObject } from "../../../../../src/composition/managed/release.ts";
import { watchManaged } from "../../../../../src/composition/managed/watch-managed.ts";
import { withLoaded } from "../../../../../src/composition/reconcile/with-loaded.ts";
import { putBackFields } from "../../../../../src/composition/release/drift/put-back.ts";
import { observeAwaited, observeDrift, observeLost } from "../../../../../src/composition/release/observe-release.ts";
import { machineStatus } from "../../../../../src/composition/status/machine-status.ts";
import { foundOf } from "../../../../../src/composition/status/ready-condition.ts";
import { readiness } from "../../../../../src/composition/status/readiness.ts";
import type { Resource } from "../../../../../src/composition/types.ts";
import { quietWatch } from "../../../../support/quiet-watch.ts";

const VERSION = "ec2.services.k8s.aws/v1alpha1";
const MARKS = { "meta.helm.sh/release-name": "web", "meta.helm.sh/release-namespace": "demo" };
const LABELS = { "app.kubernetes.io/managed-by": "Helm" };
const LONG = "x".repeat(1_300_000);
const SYNCED = { type: "ACK.ResourceSynced", status: "True", message: "synced" };

const keyOf = (namespace: string, name: string) => ({ apiVersion: VERSION, kind: "Instance", namespace, name });

const objectOf = (namespace: string, name: string): Resource => ({
  ...{ apiVersion: VERSION, kind: "Instance" },
  metadata: {
    ...{ namespace, name, uid: `${namespace}-${name}`, resourceVersion: "5", generation: 2 },
    ...{ creationTimestamp: "2026-11-29T08:00:00Z", annotations: MARKS, labels: LABELS },
  },
  spec: { instanceType: "t3.micro", privateIPAddress: "10.0.0.7", userData: "IyEvYmluL3No" },
  status: { instanceID: "i-0abc", state: { name: "running" }, conditions: [SYNCED] },
});

const large = (object: Resource, part: object): Resource => ({
  ...object,
  ...part,
  metadata: { ...object.metadata, ...(part as Partial<Resource>).metadata },
});

const { status: STATUS, spec: SPEC } = objectOf("demo", "web");

const LARGE: readonly [string, object][] = [
  ["annotations", { metadata: { annotations: { ...MARKS, "t.example/a": LONG } } }],
  ["marks", { metadata: { annotations: { ...MARKS, "helm.sh/resource-policy": LONG } } }],
  ["labels", { metadata: { labels: { ...LABELS, "t.example/a": LONG } } }],
  ["field managers", { metadata: { managedFields: [{ manager: LONG }] } }],
  ["finalizers", { metadata: { finalizers: [`t.example/${LONG}`] } }],
  ["owners", { metadata: { ownerReferences: [{ name: LONG }] } }],
  ["user data", { spec: { ...SPEC, userData: LONG } }],
  ["lists in the spec", { spec: { ...SPEC, tags: Array.from({ length: 40_000 }, () => ({ key: "a", value: "b" })) } }],
  [
    "many fields",
    { status: { ...STATUS, other: Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`f${i}`, i])) } },
  ],
  ["a status", { status: { ...STATUS, other: LONG } }],
  ["messages", { status: { ...STATUS, conditions: [{ ...SYNCED, message: LONG }] } }],
  ["conditions", { status: { ...STATUS, conditions: [SYNCED, ...Array.from({ length: 9000 }, () => SYNCED)] } }],
  ["another field", { other: LONG }],
];

const sizeOf = (value: unknown): number => JSON.stringify(value).length;

function serverOf(objects: readonly Resource[]) {
  const asked: string[] = [];
  const resources = [{ kind: "Instance", name: "instances", namespaced: true, verbs: ["list", "watch"] }];
  function pageOf(from: number): object {
    const [items, rest] = [objects.slice(from, from + 20), objects.length - from - 20];
    const metadata = { resourceVersion: "9", ...(rest > 0 ? { continue: String(from + 20) } : {}) };
    return { apiVersion: VERSION, kind: "InstanceList", items, metadata };
  }
  const get = async (path: string, { query }: ReadOptions = {}): Promise<unknown> => {
    await Promise.resolve();
    if (path === `/apis/${VERSION}`) return { resources };
    const [, namespace, name] = /\/namespaces\/([^/]+)\/instances\/([\w-]+)$/.exec(path) ?? [];
    if (name === undefined) return pageOf(Number(query?.continue ?? 0));
    asked.push(`${String(namespace)}/${name}`);
    return objects.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name) ?? null;
  };
  const patched: unknown[] = [];
  const patch = (_path: string, _type: string, body: unknown) => Promise.resolve(patched.push(body));
  return { client: { get, stream: quietWatch, patch } as unknown as KubeClient, asked, patched };
}

async function watch(objects: readonly Resource[]) {
  const { client, asked, patched } = serverOf(objects);
  const ignore = (): void => undefined;
  const managed = watchManaged({
    ...{ client, tenant: () => client, discovery: discover(client), listLimitMs: 60_000 },
    ...{ onChange: ignore, onFailure: ignore, onRecovered: ignore },
  });
  onTestFinished(() => {
    managed.stop();
  });
  await managed.ensure(VERSION, "Instance");
  const kept = objects.map(({ metadata: { namespace = "", name = "" } }) => managed.get(keyOf(namespace, name)));
  return { managed, kept, asked, patched, client };
}

function releaseOf(manifest: Resource): Release {
  const { namespace = "", name = "" } = manifest.metadata;
  const entry = { path: `/apis/${VERSION}/namespaces/${namespace}/instances/${name}` as ApiPath };
  const object = { ...keyOf(namespace, name), manifest, entry } as ReleaseObject;
  return { name: "web", namespace, objects: [object], putBack: new Map(), awaits: [] } as unknown as Release;
}

it.each(LARGE)(
  "400: a provider's object with large %s is kept small, with its state, its marks and what runs",
  async (_, part) => {
    const object = large(objectOf("demo", "web"), part);
    const { kept, managed } = await watch([object]);
    const [seen] = kept as [Resource];
    expect(sizeOf(seen)).toBeLessThan(80_000);
    expect(readiness(seen)).toEqual(readiness(object));
    expect(seen.metadata.annotations).toMatchObject(MARKS);
    expect(seen.metadata.labels).toMatchObject(LABELS);
    const context = { managed } as unknown as CompositionContext;
    const found = foundOf(context, releaseOf(object));
    expect(machineStatus(found)).toEqual(machineStatus([{ ...keyOf("demo", "web"), live: object }]));
  },
);

it("400: a hundred objects of 1.3 MB with Landfall's labels take less than a megabyte", async () => {
  const objects = Array.from({ length: 100 }, (_, index) =>
    large(objectOf("evil", `v${String(index)}`), { spec: { ...SPEC, userData: LONG } }),
  );
  const { kept } = await watch(objects);
  expect(kept.filter((one) => one === undefined)).toEqual([]);
  expect(sizeOf(kept)).toBeLessThan(1024 * 1024);
});

it("400: what is kept of one namespace is limited together, and its releases are read where they are worked on", async () => {
  const part = { spec: { ...SPEC, userData: "x".repeat(60_000) } };
  const loud = Array.from({ length: 700 }, (_, index) => large(objectOf("demo", `v${String(index)}`), part));
  const { kept, managed, asked } = await watch([...loud, large(objectOf("quiet", "web"), part)]);
  expect(sizeOf(kept)).toBeLessThan(33 * 1024 * 1024);
  const [last, other] = [keyOf("demo", "v699"), keyOf("demo", "v698")];
  expect(managed.get(keyOf("quiet", "web"))?.spec).toEqual(part.spec);
  expect(managed.get(last)?.spec).toBeUndefined();
  managed.claim(last, "vmtemplates/demo/web");
  const context = { managed, log: { debug: () => undefined } } as unknown as CompositionContext;
  const composition = { key: "vmtemplates/demo/web" } as Composition;
  let live: Resource | undefined;
  await withLoaded(context, composition, () => {
    live = managed.get(last);
    return Promise.resolve({ requeueAfter: null });
  });
  expect([live?.status, live?.spec]).toEqual([STATUS, part.spec]);
  expect(managed.get(last)?.spec).toBeUndefined();
  expect(managed.get(other)?.metadata.name).toBe("v698");
  expect(asked).toEqual(["demo/v699"]);
});

it("400: a run is followed and ended although the objects of its release cannot be read", async () => {
  const refused = () => Promise.reject(new ApiError(403, { action: "GET", detail: "forbidden" }));
  const unloaded: string[] = [];
  const managed = { load: refused, unload: (owner: string) => unloaded.push(owner) };
  const context = { managed, log: { debug: () => undefined } } as unknown as CompositionContext;
  const composition = { key: "vmtemplates/demo/web" } as Composition;
  expect(await withLoaded(context, composition, () => Promise.resolve({ requeueAfter: 7 }))).toEqual({
    requeueAfter: 7,
  });
  expect(unloaded).toEqual([composition.key]);
});

it("400: the spec of a large object is compared whole, as it is then", async () => {
  const manifest = large(objectOf("demo", "web"), { spec: { ...SPEC, keyName: "", tags: [] } });
  const spec = { ...SPEC, userData: SPEC?.["userData"], keyName: LONG };
  const { managed, asked } = await watch([large(manifest, { spec })]);
  const context = { managed } as unknown as CompositionContext;
  expect(managed.isWhole(keyOf("demo", "web"))).toBe(false);
  expect(await observeDrift(context, releaseOf(manifest))).toBe("spec.keyName of Instance web");
  expect(asked).toEqual(["demo/web"]);
  const same = await watch([large(manifest, { status: { ...STATUS, other: LONG } })]);
  expect(
    await observeDrift({ managed: same.managed } as unknown as CompositionContext, releaseOf(manifest)),
  ).toBeNull();
  const small = await watch([manifest]);
  expect(
    await observeDrift({ managed: small.managed } as unknown as CompositionContext, releaseOf(manifest)),
  ).toBeNull();
  expect(small.asked).toEqual([]);
});

it("400: what an operator wrote into a large spec is put back, and an awaited value is read whole", async () => {
  const manifest = objectOf("demo", "web");
  const networkInterfaces = Array.from({ length: 2000 }, () => ({ description: "x".repeat(40) }));
  const managedFields = [
    { manager: "ack", subresource: "status", fieldsV1: {} },
    { manager: "ack", fieldsV1: { "f:spec": { "f:networkInterfaces": {} } } },
  ];
  const object = large(manifest, { metadata: { managedFields }, spec: { ...SPEC, networkInterfaces } });
  const { managed, client, patched, asked } = await watch([object]);
  const log = { info: () => undefined };
  const context = { managed, log, tenant: () => client } as unknown as CompositionContext;
  await putBackFields(context, releaseOf(manifest));
  expect(patched).toEqual([{ spec: { networkInterfaces: null } }]);
  const awaits = [{ group: "ec2.services.k8s.aws", kind: "Instance", name: "web", path: "spec.userData", not: null }];
  const composition = { key: "k", object: manifest } as Composition;
  expect(await observeAwaited(context, composition, { ...releaseOf(manifest), awaits })).toBe(
    markOf(awaits[0] as Awaited, SPEC?.["userData"]),
  );
  const records = { read: () => Promise.resolve(null) };
  expect(await observeLost({ ...context, records } as unknown as CompositionContext, releaseOf(manifest))).toBeNull();
  expect(asked).toHaveLength(3);
});

const HEAVY: readonly [string, object][] = [
  ["empty values", { spec: { ...SPEC, tags: Array.from({ length: 20_000 }, () => ({})) } }],
  ["empty conditions", { status: { ...STATUS, conditions: [SYNCED, ...Array.from({ length: 20_000 }, () => ({}))] } }],
  [
    "labels",
    {
      metadata: {
        labels: { ...Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`l${i}`, ""])), ...LABELS },
      },
    },
  ],
];

it.each(HEAVY)("400: an object of many %s takes no more memory than one with long texts", (_, part) => {
  const object = large(objectOf("demo", "web"), part);
  const { object: kept, weight } = keepManaged(object);
  expect(readiness(kept)).toEqual(readiness(object));
  expect(weight).toBeLessThan(80_000);
  expect(JSON.stringify(kept).split(/[,{[]/).length).toBeLessThan(3000);
  expect(kept.metadata.labels).toMatchObject(LABELS);
});

/** Lists within lists, more than JavaScript can write as JSON. */
const deep = (): unknown => JSON.parse(`${"[".repeat(9000)}${"]".repeat(9000)}`);

it("400: an object that is nested deeply is kept without what is, and does not end the watch of its kind", () => {
  const object = large(objectOf("demo", "web"), {
    spec: { ...SPEC, tags: deep() },
    status: { ...STATUS, other: deep() },
  });
  const { object: kept, isWhole } = keepManaged(object);
  expect([isWhole, kept.spec, kept.status]).toEqual([false, SPEC, STATUS]);
  const composition: Resource = {
    ...objectOf("demo", "web"),
    spec: { cpu: 1, global: deep() },
    status: { other: deep() },
  };
  const short = keepComposition(composition);
  expect([short.isWhole, short.object.spec, short.object.status]).toEqual([false, { cpu: 1 }, {}]);
});

it("400: of a long error, the begin is kept, as a text of its own", () => {
  const message = `api error VcpuLimitExceeded: You have requested more vCPU capacity. ${LONG}`;
  const conditions = [{ type: "ACK.Terminal", status: "True", message }];
  const object = large(objectOf("demo", "web"), { status: { conditions } });
  const { object: kept } = keepManaged(object);
  expect(sizeOf(kept)).toBeLessThan(16_000);
  expect(readiness(kept)).toEqual(readiness(object));
  expect(readiness(kept)).toMatchObject({ reason: "VcpuLimitExceeded" });
});
