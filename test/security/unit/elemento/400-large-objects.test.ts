// Any namespace can make objects of Elemento's kinds, each as large as the API server stores it: in annotations, names of tags, finalizers and status.
import { expect, it, onTestFinished } from "vitest";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import { keepObject, leastOfObject } from "../../../../src/elemento/operator/keep-object.ts";
import { keyOf, watchObjects } from "../../../../src/elemento/operator/watch-objects.ts";
import type { Resource } from "../../../../src/model/kubernetes.ts";
import { quietWatch } from "../../../support/quiet-watch.ts";

const ABANDON = "elemento.landfall.dev/abandon";
const FINALIZER = "elemento.landfall.dev/finalizer";
const LONG = "x".repeat(700_000);

const objectOf = (namespace: string, index: number, more: Partial<Resource> = {}): Resource => ({
  ...{ apiVersion: "elemento.landfall.dev/v1alpha1", kind: "ElementoVm" },
  metadata: {
    ...{ namespace, name: `v${String(index)}`, uid: `${namespace}-${String(index)}`, resourceVersion: "5" },
    ...{ generation: 1, finalizers: [FINALIZER] },
  },
  spec: { name: "web", deletionPolicy: "delete", userData: "#cloud-config\n{}\n" },
  status: {
    id: `id-${String(index)}`,
    conditions: [{ type: "Ready", status: "True", reason: "Running", message: "" }],
  },
  ...more,
});

const large = (namespace: string, index: number, part: object): Resource => {
  const object = objectOf(namespace, index);
  return { ...object, ...part, metadata: { ...object.metadata, ...(part as Partial<Resource>).metadata } };
};

const LARGE: readonly [string, object][] = [
  ["annotations", { metadata: { annotations: { "t.example/a": LONG } } }],
  ["the abandon annotation", { metadata: { annotations: { [ABANDON]: LONG } } }],
  ["labels", { metadata: { labels: { "t.example/a": LONG } } }],
  ["field managers", { metadata: { managedFields: [{ manager: LONG }] } }],
  ["finalizers", { metadata: { finalizers: [FINALIZER, `t.example/${LONG}`] } }],
  ["owners", { metadata: { ownerReferences: [{ name: LONG }] } }],
  ["names of tags", { spec: { name: "web", deletionPolicy: "delete", tags: { [LONG]: "a" } } }],
  ["attempts", { status: { id: "id-1", attempts: { [LONG]: "2026-11-29T08:00:00Z" } } }],
  ["conditions", { status: { conditions: [{ type: "Ready", status: "False", severity: "Info", message: LONG }] } }],
  ["the id", { status: { id: LONG } }],
  ["another field", { other: LONG }],
];

const sizeOf = (value: unknown): number => JSON.stringify(value).length;

/** An API server with these objects, of which it answers one at a time as well. */
function serverOf(objects: readonly Resource[]) {
  const asked: string[] = [];
  const get = async (path: string): Promise<unknown> => {
    await Promise.resolve();
    const [, namespace, plural, name] = /\/namespaces\/([^/]+)\/(\w+)\/(\w+)$/.exec(path) ?? [];
    if (name === undefined || plural === undefined)
      return {
        ...{ apiVersion: "elemento.landfall.dev/v1alpha1", kind: "ElementoVmList" },
        ...{ items: path.endsWith("/elementovms") ? objects : [], metadata: { resourceVersion: "9" } },
      };
    asked.push(`${String(namespace)}/${name}`);
    return objects.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name) ?? null;
  };
  return { client: { get, stream: quietWatch } as unknown as KubeClient, asked };
}

async function watch(objects: readonly Resource[]) {
  const { client, asked } = serverOf(objects);
  const changed: string[] = [];
  const ignore = (): void => undefined;
  const watches = watchObjects({
    ...{ client, onGone: ignore, onProgress: ignore, onRecovered: ignore, onFailure: ignore },
    onChange: (object) => changed.push(keyOf(object)),
  });
  onTestFinished(() => {
    watches.stop();
  });
  await expect.poll(() => changed.length, { timeout: 20_000 }).toBe(objects.length);
  return { watches, asked };
}

it.each(LARGE)("400: an object with large %s is kept small, and read whole where it is worked on", async (_, part) => {
  const objects = [objectOf("demo", 1), large("evil", 1, part)];
  const { watches, asked } = await watch(objects);
  expect(sizeOf(watches.list())).toBeLessThan(2000);
  const kept = watches.find("ElementoVm", "evil", "v1");
  expect(kept?.metadata.finalizers).toContain(FINALIZER);
  const read = await watches.read("ElementoVm", "evil", "v1");
  expect([read?.spec, read?.status]).toEqual([objects[1]?.spec, objects[1]?.status]);
  expect(read?.metadata.finalizers).toEqual(objects[1]?.metadata.finalizers);
  await watches.read("ElementoVm", "demo", "v1");
  expect(asked).not.toContain("demo/v1");
});

it("400: what is kept of the objects of one namespace is limited together, and a quiet namespace is kept whole", async () => {
  const some = { spec: { name: "web", deletionPolicy: "delete", tags: { ["x".repeat(60_000)]: "a" } } };
  const loud = Array.from({ length: 400 }, (_, index) => large("loud", index, some));
  const { watches, asked } = await watch([...loud, large("quiet", 0, some)]);
  expect(watches.list()).toHaveLength(401);
  expect(sizeOf(watches.list())).toBeLessThan(17.5 * 1024 * 1024);
  expect((await watches.read("ElementoVm", "loud", "v399"))?.spec).toEqual(some.spec);
  expect((await watches.read("ElementoVm", "quiet", "v0"))?.spec).toEqual(some.spec);
  expect(asked).toEqual(["loud/v399"]);
});

it("400: the least has the id, the state and the way out of an object, so that others wait for it as before", () => {
  const conditions = [{ type: "Ready", status: "False", severity: "Warning", reason: "NoOffer", message: LONG }];
  const object = large("demo", 1, {
    metadata: { annotations: { [ABANDON]: "true", "t.example/a": LONG }, deletionTimestamp: "2026-11-29T08:00:00Z" },
    status: { id: "n-1", conditions },
  });
  const { object: kept, isWhole } = keepObject(object);
  expect(isWhole).toBe(false);
  expect(kept).toEqual(leastOfObject(object));
  expect(kept.status).toEqual({ id: "n-1", conditions: [{ type: "Ready", status: "False", severity: "Warning" }] });
  expect(kept.metadata.annotations).toEqual({ [ABANDON]: "true" });
  expect(kept.metadata.deletionTimestamp).toBe("2026-11-29T08:00:00Z");
});

it("400: an answer to the operator's own write is kept as small, and not beyond what the watch has shown", async () => {
  const object = large("demo", 1, { metadata: { annotations: { "t.example/a": LONG } } });
  const { watches, asked } = await watch([object]);
  const written = { ...object, metadata: { ...object.metadata, resourceVersion: "6" }, status: { id: "new" } };
  watches.wrote(written);
  expect(watches.find("ElementoVm", "demo", "v1")?.status).toEqual({ id: "new" });
  expect(sizeOf(watches.find("ElementoVm", "demo", "v1"))).toBeLessThan(1000);
  expect((await watches.read("ElementoVm", "demo", "v1"))?.metadata.resourceVersion).toBe("6");
  expect(asked).toEqual([]);
  watches.wrote({ ...object, metadata: { ...object.metadata, resourceVersion: "5" }, status: { id: "old" } });
  expect(watches.find("ElementoVm", "demo", "v1")?.status).toEqual({ id: "new" });
});
