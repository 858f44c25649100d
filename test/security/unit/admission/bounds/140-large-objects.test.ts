import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import { guard } from "../../../../../src/admission/guard.ts";
import { apiPath } from "../../../../../src/cluster/api-path.ts";
import { ApiError } from "../../../../../src/cluster/client/api-error.ts";
import type { KubeClient, ReadOptions } from "../../../../../src/cluster/client/create-client.ts";
import { listObjects } from "../../../../../src/cluster/list-objects.ts";
import { keepComposition } from "../../../../../src/composition/controller/keep-composition.ts";
import { watchCompositions } from "../../../../../src/composition/controller/watch-compositions.ts";
import { discover } from "../../../../../src/cluster/discover.ts";
import { verifyDecision } from "../../../../../src/model/decision-annotation/signature.ts";
import { specStanding } from "../../../../../src/model/decision-annotation/still-holds.ts";
import type { Resource } from "../../../../../src/model/kubernetes.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import type { LoadedBundle } from "../../../../../src/policy/loaded-bundle.ts";
import { context, create, NO_OWNERS, NOW, patched, update, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";
import { quietWatch } from "../../../../support/quiet-watch.ts";

let policy: LoadedBundle;
beforeAll(async () => {
  policy = await loadPolicy();
});

const at = () => context(policy, NOW, NO_OWNERS);
const size = { cpu: 1, memory: 1 };
const withGlobal = (object: WorkloadObject, characters: number): WorkloadObject => ({
  ...object,
  spec: { ...object.spec, global: { compositionName: "x".repeat(characters) } },
});
const refused = { allowed: false, codes: ["ADM_GLOBAL_LONG"] };

describe("140: spec.global, which has no limit in the schema", () => {
  it.each([5000, 1_400_000])("is refused by both webhooks at a creation and at an update: %i characters", (length) => {
    const object = vm(size, { name: "a", uid: "u" });
    const stored = patched(object, admit(create(object), at()));
    for (const webhook of [admit, guard]) {
      expect(webhook(create(withGlobal(object, length)), at())).toMatchObject(refused);
      expect(webhook(update(stored, withGlobal(stored, length)), at())).toMatchObject(refused);
    }
  });

  it("is refused as well where an object without a decision or one that is being deleted gets it", () => {
    const object = vm(size, { name: "a", uid: "u" });
    const deleted = { ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    for (const stored of [object, deleted])
      expect(guard(update(stored, withGlobal(stored, 5000)), at())).toMatchObject(refused);
  });

  it("with a controller's values is admitted, and a long one that is stored already stops no other change", () => {
    expect(admit(create(withGlobal(vm(size), 500)), at())).toMatchObject({ allowed: true });
    const stored = withGlobal(vm(size, { name: "a", uid: "u" }), 1_400_000);
    const changed = { ...stored, metadata: { ...stored.metadata, labels: { a: "b" } } };
    for (const outcome of [admit(update(stored, changed), at()), guard(update(stored, changed), at())])
      expect("codes" in outcome ? outcome.codes : []).not.toContain("ADM_GLOBAL_LONG");
  });
});

const large = (index: number): Resource => ({
  apiVersion: "composition.krateo.io/v0-2-0",
  kind: "VmTemplate",
  metadata: { name: `a${String(index)}`, namespace: "demo", uid: `u${String(index)}`, resourceVersion: "1" },
  spec: { ...size, global: { x: "x".repeat(1_400_000) } },
});

/** An API server with so many large objects, which answers as a client reads it: a longer page is cut off. */
function serverOf(count: number) {
  const pages: number[] = [];
  const resource = { kind: "VmTemplate", name: "vmtemplates", namespaced: true };
  const known: Record<string, object> = {
    "/apis/composition.krateo.io": { versions: [{ groupVersion: "composition.krateo.io/v0-2-0" }] },
    "/apis/composition.krateo.io/v0-2-0": { resources: [resource] },
  };
  const list = (path: string, { query = {}, maxBytes = Infinity }: ReadOptions): object => {
    const [from, limit] = [Number(query.continue ?? 0), query.limit ?? count];
    const to = Math.min(count, from + limit);
    if ((to - from) * 1_400_000 > maxBytes) throw new ApiError(413, { action: path, detail: "too long" });
    pages.push(to - from);
    const items = Array.from({ length: to - from }, (_, at) => large(from + at));
    const metadata = { resourceVersion: "1", ...(to < count ? { continue: String(to) } : {}) };
    return { apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplateList", items, metadata };
  };
  const get = async (path: string, options: ReadOptions = {}): Promise<unknown> => {
    await Promise.resolve();
    const name = /\/vmtemplates\/a(\d+)$/.exec(path)?.[1];
    return known[path] ?? (name === undefined ? list(path, options) : large(Number(name)));
  };
  return { client: { get, stream: quietWatch } as unknown as KubeClient, pages };
}

describe("140: objects that were stored while no webhook was called", () => {
  it("are read a few at a time, and each once", async () => {
    const { client, pages } = serverOf(20);
    const { items } = await listObjects(client, apiPath`/apis/composition.krateo.io/v0-2-0/vmtemplates`, {
      keep: ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }),
    });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(Array.from({ length: 20 }, (_, i) => `a${String(i)}`));
    expect(Math.max(...pages)).toBeLessThan(4);
  });

  it("are kept by the controller without what is long, and read whole where one is worked on", async () => {
    const { client } = serverOf(3);
    const watch = watchCompositions({
      ...{ client, discovery: discover(client), listLimitMs: 10_000 },
      ...{
        onChange: () => undefined,
        onGone: () => undefined,
        onRecovered: () => undefined,
        onFailure: () => undefined,
      },
    });
    onTestFinished(() => {
      watch.stop();
    });
    await watch.refresh();
    expect(watch.list().map(({ key }) => key)).toContain("vmtemplates/demo/a2");
    expect(JSON.stringify(watch.list()).length).toBeLessThan(5000);
    expect((await watch.read("vmtemplates/demo/a2"))?.object).toEqual(large(2));
    expect(await watch.read("vmtemplates/demo/b")).toBeNull();
  });

  it.each<[string, Partial<Resource["metadata"]> & { managedFields?: unknown }]>([
    [
      "labels",
      {
        labels: Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`t.example/${String(i)}`, "x".repeat(60)])),
      },
    ],
    ["annotations", { annotations: { "t.example/a": "x".repeat(200_000) } }],
    ["finalizers", { finalizers: Array.from({ length: 3000 }, (_, i) => `t.example/${"x".repeat(60)}${String(i)}`) }],
    ["field managers", { managedFields: Array.from({ length: 500 }, () => ({ manager: "x".repeat(200) })) }],
  ])(
    "are kept by the controller with their decision and what belongs to it, whatever is long: %s",
    (_what, metadata) => {
      const asked = vm(size, { name: "a", uid: "u" });
      const decided = patched(asked, admit(create(asked), at()));
      const annotations = { ...metadata.annotations, ...decided.metadata.annotations };
      const stored = { ...decided, metadata: { ...decided.metadata, ...metadata, annotations } } as Resource;
      const { object, isWhole } = keepComposition(stored);
      expect(isWhole).toBe(false);
      expect(JSON.stringify(object).length).toBeLessThan(40_000);
      const verified = verifyDecision(at().keys, object);
      expect(verified && specStanding(verified, object)).toBe("accepted");
    },
  );
});
