import type { Logger } from "pino";
import { describe, expect, it, vi } from "vitest";
import { apiPath } from "../../../../../src/cluster/api-path.ts";
import type { KubeClient } from "../../../../../src/cluster/client/create-client.ts";
import type { CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { finishRemoval, finishRemovals } from "../../../../../src/composition/gone/finish-removals.ts";
import { openRemovals } from "../../../../../src/composition/record/open-removals.ts";
import { removeFound } from "../../../../../src/composition/remove/remove-release.ts";
import type { Resource } from "../../../../../src/composition/types.ts";
import { createClusterData } from "../../../../../src/external-data/cluster-data.ts";
import type { ReleaseMark } from "../../../../../src/model/decision-annotation/system-secrets.ts";
import { memoryRemovals } from "../../../../support/composition/memory-removals.ts";
import { secretStore } from "../../../../support/composition/secret-store.ts";

const UID = "12345678";
const RELEASE = `web-${UID}`;
const PLACE = "gcp/europe-west3";
const OBJECTS = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/demo/vmtemplates/web`;
const mark: ReleaseMark = {
  ...{ kind: "VmTemplate", namespace: "demo", name: "web", uid: UID, release: RELEASE, place: PLACE },
  running: [{ place: PLACE, vcpus: 8, memoryGiB: 32, pricePerHour: null }],
};
const removed: ReleaseMark = { ...mark, removed: true };

interface World {
  /** The machines with helm's marks of the release. */
  machines?: { name: string; deleting: boolean }[];
  /** The record of the release. */
  record?: ReleaseMark | null;
  /** The object at the path. */
  present?: Resource | null;
  hasNamespace?: boolean;
  removals?: CompositionContext["removals"];
}

/** A controller in a cluster with this content, and what it did, in order. */
function world({ machines = [], record = null, present = null, hasNamespace = true, removals }: World) {
  const done: string[] = [];
  const known = removals ?? memoryRemovals(removed);
  const live = (name: string): Resource => {
    const deleting = machines.find((one) => one.name === name)?.deleting === true;
    const annotations = { "meta.helm.sh/release-name": RELEASE, "meta.helm.sh/release-namespace": "demo" };
    const metadata = { name, annotations, ...(deleting ? { deletionTimestamp: "x" } : {}) };
    return { apiVersion: "cnrm/v1", kind: "Machine", metadata };
  };
  const tenant = {
    create: () =>
      Promise.resolve({ status: { resourceRules: [{ verbs: ["delete"], apiGroups: ["cnrm"], resources: ["*"] }] } }),
    get: (path: string) => {
      if (path.endsWith("/machines")) return Promise.resolve({ items: machines.map(({ name }) => live(name)) });
      const name = path.split("/machines/")[1];
      return Promise.resolve(name === undefined ? { items: [] } : live(name));
    },
    remove: (path: string) => Promise.resolve(done.push(`delete ${path.split("/").at(-1) ?? ""}`)),
  };
  const kinds = [
    { kind: "VmTemplate", name: "vmtemplates", namespaced: true },
    { kind: "Machine", name: "machines", namespaced: true },
  ];
  const revision = {
    labels: { "landfall.dev/composition": record?.uid ?? "" },
    release: { config: {}, manifest: "" },
  };
  const context = {
    client: {
      get: (path: string) => Promise.resolve(path === OBJECTS ? present : hasNamespace ? { kind: "Namespace" } : null),
      patch: () => Promise.resolve(done.push("status")),
    },
    tenant: () => tenant,
    clientIn: () => Promise.resolve(),
    discovery: { group: () => Promise.resolve([{ apiVersion: "composition.krateo.io/v0-2-0", resources: kinds }]) },
    records: {
      mark: () => Promise.resolve(record),
      read: () => Promise.resolve(record === null ? null : { revisions: [revision] }),
      change: () => Promise.resolve(void done.push("no record")),
    },
    removals: {
      ...known,
      begin: (one: ReleaseMark) => known.begin(one).then(() => void done.push(`counts ${one.running[0]?.vcpus ?? 0}`)),
      ended: (uid: string) => known.ended(uid).then(() => void done.push("counts no more")),
    },
    withHelm: () => {
      done.push("helm");
      return Promise.resolve({ code: 0, stderr: "" });
    },
    keys: null,
    ...{ nowSeconds: () => 1_800_000_000, metrics: { helm: () => undefined }, record: () => undefined },
    ...{ releases: new Map(), uninstalled: new Map(), retrying: new Map(), looks: { forget: () => undefined } },
    managed: { release: () => undefined, claim: () => undefined },
    log: { info: () => undefined, warn: () => undefined },
  } as unknown as CompositionContext;
  return { context, done };
}

const object: Resource = {
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate" },
  metadata: { namespace: "demo", name: "web", uid: UID, deletionTimestamp: "x" },
  spec: { cpu: 4, memory: 16, provider: "gcp", schedulingLocation: "europe-west3" },
};
const composition = { key: "vmtemplates/demo/web", path: OBJECTS, object };

describe("280: a removal", () => {
  it("is recorded before helm forgets what runs", async () => {
    const { context, done } = world({
      record: mark,
      machines: [{ name: "web", deleting: true }],
      removals: memoryRemovals(),
    });
    await removeFound(context, composition, RELEASE);
    expect(done.slice(0, 2)).toEqual(["counts 8", "helm"]);
    expect(done).not.toContain("counts no more");
  });

  it("is not begun if it cannot be recorded", async () => {
    const removals = { ...memoryRemovals(), begin: () => Promise.reject(new Error("no answer")) };
    const { context, done } = world({ record: mark, removals });
    await expect(removeFound(context, composition, RELEASE)).rejects.toThrow("no answer");
    expect(done).toEqual([]);
  });

  it("is recorded where an earlier version began it, as large as its object", async () => {
    const removals = memoryRemovals();
    const { context } = world({ machines: [{ name: "web", deleting: true }], removals });
    expect(await removeFound(context, composition, null)).toHaveLength(1);
    expect(await removals.list()).toMatchObject([{ uid: UID, running: [{ place: PLACE, vcpus: 4 }] }]);
  });

  it("ends with the last resource", async () => {
    const { context, done } = world({});
    expect(await removeFound(context, composition, null)).toEqual([]);
    expect(done).toContain("counts no more");
  });

  it.each<[string, World, string[]]>([
    ["waits for what its provider deletes", { machines: [{ name: "web", deleting: true }] }, []],
    ["deletes what nobody deleted", { machines: [{ name: "web", deleting: false }] }, ["delete web"]],
    ["ends when nothing is left", {}, ["no record", "counts no more"]],
    [
      "ends with its namespace",
      { hasNamespace: false, machines: [{ name: "web", deleting: true }] },
      ["counts no more"],
    ],
    ["is left to an object that is there", { present: object }, []],
    [
      "calls helm again that was killed",
      { record: mark, machines: [{ name: "web", deleting: true }] },
      ["counts 8", "helm"],
    ],
    [
      "deletes nothing of an object that has the release by now",
      { record: { ...mark, uid: "two" }, machines: [{ name: "web", deleting: false }] },
      ["counts no more"],
    ],
    [
      "waits beside such an object, too",
      { record: { ...mark, uid: "two" }, machines: [{ name: "web", deleting: true }] },
      [],
    ],
  ])("whose object is gone %s", async (_, given, expected) => {
    const { context, done } = world(given);
    await finishRemoval(context, removed);
    expect(done).toEqual(expected);
  });
});

describe("280: removals whose objects are gone", () => {
  it("are looked at less and less often while their provider refuses", async () => {
    const { context } = world({ machines: [{ name: "web", deleting: true }] });
    let [now, looks] = [0, 0];
    const { clientIn } = context;
    context.clientIn = (...args) => {
      looks += 1;
      return clientIn(...args);
    };
    const log = { info: () => undefined, warn: () => undefined } as unknown as Logger;
    const stop = finishRemovals({ context, list: () => [], log, everyMs: 1, nowMs: () => (now += 1) });
    await vi.waitFor(() => expect(now).toBeGreaterThan(300), { timeout: 10_000 });
    await stop();
    // After 1, 2, 4, … 256 ms of a clock that each question takes on.
    expect(looks).toBeLessThan(12);
  });
});

describe("280: the record of a removal", () => {
  /** Lists Secrets, too. */
  function open() {
    const { client, objects } = secretStore();
    const listing = {
      ...client,
      get: (path: string) =>
        path.endsWith("/secrets")
          ? Promise.resolve({ apiVersion: "v1", kind: "SecretList", metadata: {}, items: [...objects.values()] })
          : client.get(path as never),
      // The chart gives the controller no right to it.
      patch: () => Promise.reject(new Error("forbidden")),
      remove: (path: string) => Promise.resolve(objects.delete(path)),
    } as unknown as KubeClient;
    return { objects, start: () => openRemovals(listing, "landfall-system") };
  }

  it("outlives the controller, and grows by what is removed later", async () => {
    const { start, objects } = open();
    await start().begin(mark);
    const later = start();
    expect(await later.of(UID)).toMatchObject({ release: RELEASE, running: mark.running, removed: true });
    const other = { place: "aws/eu-south-1", vcpus: 2, memoryGiB: 8, pricePerHour: null };
    await later.begin({ ...mark, running: [other] });
    expect((await start().of(UID))?.running).toEqual([other, ...mark.running]);
    await later.ended(UID);
    expect(objects.size).toBe(0);
    expect(await start().list()).toEqual([]);
  });

  it("counts for the webhook, and gives no object its place or its release", () => {
    const data = createClusterData();
    data.apply({ type: "seen", at: 1000 });
    const asked = { key: "VmTemplate/demo/more", namespace: "demo", vmName: null };
    data.apply({ type: "release", record: `landfall.removed.${UID}`, installed: removed });
    expect(data.around(asked, 1000)?.usage).toMatchObject({ objects: 1, vcpus: 8, memoryGiB: 32 });
    const again = { kind: "VmTemplate", metadata: { namespace: "demo", name: "web", uid: "two" } };
    expect(data.owners.isInstalled(again, PLACE)).toBe(false);
    expect(data.owners.runningOf({ kind: "VmTemplate", metadata: { namespace: "demo", name: "web" } })).toEqual([]);
    expect(data.takesOver("VmTemplate/demo/web", RELEASE)).toBe(false);
    // Another process learns the same.
    const copy = createClusterData();
    for (const event of data.snapshot()) copy.apply(event);
    expect(copy.around(asked, 1000)?.usage.vcpus).toBe(8);
    data.apply({ type: "release", record: `landfall.removed.${UID}`, installed: null });
    expect(data.around(asked, 1000)?.usage.vcpus).toBe(0);
  });
});
