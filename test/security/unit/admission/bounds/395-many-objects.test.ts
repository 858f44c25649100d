// The controller keeps up to 65,536 characters of an object. No quota limits by default how many objects a namespace has.
import { expect, it, onTestFinished } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import type { KubeClient, ReadOptions } from "../../../../../src/cluster/client/create-client.ts";
import { discover } from "../../../../../src/cluster/discover.ts";
import { keepComposition, keepLeast } from "../../../../../src/composition/controller/keep-composition.ts";
import { KeptShares } from "../../../../../src/cluster/kept-shares.ts";
import { watchCompositions } from "../../../../../src/composition/controller/watch-compositions.ts";
import { isDue, isScheduled } from "../../../../../src/composition/schedule/start-time.ts";
import type { Resource } from "../../../../../src/model/kubernetes.ts";
import { plannedStart } from "../../../../../src/model/decision-annotation/planned-start.ts";
import { formatTime } from "../../../../../src/model/time.ts";
import { context, create, NO_OWNERS, NOW, patched, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";
import { quietWatch } from "../../../../support/quiet-watch.ts";

const VERSION = "composition.krateo.io/v0-2-0";
const LONG = { "t.example/a": "x".repeat(60_000) };

const objectOf = (namespace: string, index: number, annotations: Record<string, string> = LONG): Resource => ({
  ...{ apiVersion: VERSION, kind: "VmTemplate" },
  metadata: {
    ...{ name: `a${String(index)}`, namespace, uid: `${namespace}-${String(index)}`, resourceVersion: "1" },
    annotations,
  },
  spec: { cpu: 1, memory: 1 },
});

const sizeOf = (value: unknown): number => JSON.stringify(value).length;

function serverOf(objects: readonly Resource[]): KubeClient {
  const resource = { kind: "VmTemplate", name: "vmtemplates", namespaced: true };
  const known: Record<string, object> = {
    "/apis/composition.krateo.io": { versions: [{ groupVersion: VERSION }] },
    [`/apis/${VERSION}`]: { resources: [resource] },
  };
  const list = ({ query = {} }: ReadOptions): object => {
    const [from, limit] = [Number(query.continue ?? 0), query.limit ?? objects.length];
    const to = Math.min(objects.length, from + limit);
    const metadata = { resourceVersion: "1", ...(to < objects.length ? { continue: String(to) } : {}) };
    return { apiVersion: VERSION, kind: "VmTemplateList", items: objects.slice(from, to), metadata };
  };
  const get = async (path: string, options: ReadOptions = {}): Promise<unknown> => {
    await Promise.resolve();
    const [, namespace, name] = /\/namespaces\/(\w+)\/vmtemplates\/(\w+)$/.exec(path) ?? [];
    const isIt = ({ metadata }: Resource): boolean => metadata.namespace === namespace && metadata.name === name;
    return known[path] ?? (name === undefined ? list(options) : (objects.find(isIt) ?? null));
  };
  return { get, stream: quietWatch } as unknown as KubeClient;
}

it("395: the objects of one namespace take limited memory of the controller, and are read whole where one is worked on", async () => {
  const loud = Array.from({ length: 600 }, (_, index) => objectOf("loud", index));
  const client = serverOf([...loud, objectOf("quiet", 0)]);
  const ignore = (): void => undefined;
  const watch = watchCompositions({
    ...{ client, discovery: discover(client), listLimitMs: 30_000 },
    ...{ onChange: ignore, onGone: ignore, onRecovered: ignore, onFailure: ignore },
  });
  onTestFinished(() => {
    watch.stop();
  });
  await watch.refresh();
  const kept = watch.list().map(({ object }) => object);
  expect(kept).toHaveLength(601);
  expect(sizeOf(kept)).toBeLessThan(18 * 1024 * 1024);
  expect((await watch.read("vmtemplates/loud/a599"))?.object).toEqual(loud[599]);
  expect(watch.peek("vmtemplates/quiet/a0")).toEqual(objectOf("quiet", 0));
});

it("395: an object that is gone or small makes room for others of its namespace", () => {
  const shares = new KeptShares({ parts: keepComposition, least: keepLeast }, 100_000);
  const [first, second, third] = [objectOf("demo", 1), objectOf("demo", 2), objectOf("demo", 3)];
  const isKept = (object: Resource): boolean => shares.isWhole(shares.keep(object));
  expect([first, second, second, first].map(isKept)).toEqual([true, false, false, true]);
  expect(isKept(objectOf("other", 1))).toBe(true);
  shares.drop(first);
  expect([second, third].map(isKept)).toEqual([true, false]);
  expect(isKept(objectOf("demo", 2, {}))).toBe(true);
  expect(isKept(third)).toBe(true);
  shares.keepOnly([second]);
  expect(isKept(first)).toBe(true);
});

it("395: such an object keeps its start, its labels and its conditions without their texts", async () => {
  const asked = vm({ cpu: 2, memory: 4, duration: "3h", schedulingTime: formatTime(NOW + 86_400) }, { name: "a" });
  const decided = patched(asked, admit(create(asked), context(await loadPolicy(), NOW, NO_OWNERS))) as Resource;
  const conditions = Array.from({ length: 30 }, (_, index) => ({
    ...{ type: `Type${String(index)}`, status: "False", reason: "Any", message: "x".repeat(2000) },
    lastTransitionTime: "2026-11-21T09:00:00Z",
  }));
  const metadata = { ...decided.metadata, labels: { "krateo.io/release-name": "a" } };
  metadata.annotations = { ...metadata.annotations, ...LONG };
  const stored: Resource = {
    ...{ ...decided, metadata },
    spec: { ...decided.spec, userData: "x".repeat(16_000) },
    status: { conditions, managed: "x".repeat(9000) },
  };
  const object = keepLeast(stored);
  expect(sizeOf(object)).toBeLessThan(16_000);
  expect(isScheduled(stored)).toBe(true);
  expect(isScheduled(object)).toBe(true);
  expect(plannedStart(object)).toBe(plannedStart(stored));
  expect(isDue(object, plannedStart(stored) ?? 0)).toBe(true);
  expect(object.metadata.labels).toEqual(metadata.labels);
  expect(object.status?.["conditions"]).toHaveLength(20);
});
