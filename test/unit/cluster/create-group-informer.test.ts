import { expect, it, onTestFinished } from "vitest";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { createGroupInformer, type GroupInformerOptions } from "../../../src/cluster/create-group-informer.ts";
import { discover } from "../../../src/cluster/discover.ts";
import { quietWatch } from "../../support/quiet-watch.ts";

/** An API server of one group: version -> plural -> names of the objects. A watch sends no events and stays open. */
function serverOf(served: Record<string, Record<string, string[]>>) {
  const resourcesOf = (version: string) =>
    Object.keys(served[version] ?? {}).map((name) => ({
      ...{ name, kind: `Kind-${name}`, namespaced: true },
      verbs: name === "reviews" ? ["create"] : ["get", "list", "watch"],
    }));
  const client = {
    get: async (path: string) => {
      await Promise.resolve();
      const [, , group = "", version, plural] = path.split("/");
      if (version === undefined)
        return { versions: Object.keys(served).map((one) => ({ groupVersion: `${group}/${one}` })) };
      if (plural === undefined) return served[version] ? { resources: resourcesOf(version) } : null;
      const names = served[version]?.[plural];
      if (names === undefined) return null;
      const items = names.map((name) => ({ metadata: { name, namespace: "demo", uid: name, resourceVersion: "1" } }));
      return {
        apiVersion: `${group}/${version}`,
        kind: `Kind-${plural}List`,
        items,
        metadata: { resourceVersion: "1" },
      };
    },
    stream: quietWatch,
  } as unknown as KubeClient;
  return client;
}

function informerOf(served: Parameters<typeof serverOf>[0], more: Partial<GroupInformerOptions> = {}) {
  const seen: string[] = [];
  const client = serverOf(served);
  const group = createGroupInformer({
    ...{ client, discovery: discover(client), group: "example.dev", onFailure: () => undefined },
    onChange: ({ apiVersion, resource }, before, now) => {
      seen.push(`${now === null ? "-" : "+"}${apiVersion} ${resource.name} ${(now ?? before)?.metadata.name ?? ""}`);
    },
    ...more,
  });
  onTestFinished(() => {
    group.stop();
  });
  const refresh = async (): Promise<void> => {
    await group.refresh();
    await Promise.all(group.kinds().map(({ informer }) => informer.synced));
  };
  return { group, seen, refresh };
}

it("watches each kind in one version, the newest", async () => {
  const { group, seen, refresh } = informerOf({ v2: { boats: ["a"] }, v1: { boats: ["a"], cars: ["b"] } });
  await refresh();
  expect(seen.toSorted()).toEqual(["+example.dev/v1 cars b", "+example.dev/v2 boats a"]);
  expect(group.kind("boats")?.informer.isCurrent()).toBe(true);
  expect(group.kind("boats")?.informer.lister.get("demo", "a")?.kind).toBe("Kind-boats");
});

it("watches only the kinds that are selected", async () => {
  const { group, refresh } = informerOf({ v1: { boats: [], cars: [] } }, { selects: ({ name }) => name === "cars" });
  await refresh();
  expect(group.kinds().map(({ path }) => path)).toEqual(["/apis/example.dev/v1/cars"]);
});

it("omits kinds that cannot be listed and watched", async () => {
  const { group, refresh } = informerOf({ v1: { reviews: [], cars: [] } });
  await refresh();
  expect(group.kinds().map(({ path }) => path)).toEqual(["/apis/example.dev/v1/cars"]);
});

it("follows the versions of charts to the newest, in which older ones may lack fields", async () => {
  // The API server names these in the order of words.
  const served: Record<string, Record<string, string[]>> = { "v0-1-0": { boats: ["a"] }, "v0-9-0": { boats: ["a"] } };
  const { group, refresh } = informerOf(served);
  const version = async () => {
    await refresh();
    return group.kinds().map(({ apiVersion }) => apiVersion);
  };
  expect(await version()).toEqual(["example.dev/v0-9-0"]);
  served["v0-10-0"] = { boats: ["a"] };
  expect(await version()).toEqual(["example.dev/v0-10-0"]);
  delete served["v0-10-0"];
  expect(await version()).toEqual(["example.dev/v0-9-0"]);
});

it("reports an object as deleted that is missing after a change of version", async () => {
  const served: Record<string, Record<string, string[]>> = { v1: { boats: ["a", "b"] } };
  const { seen, refresh } = informerOf(served);
  await refresh();
  served["v2"] = { boats: ["a"] };
  delete served["v1"];
  seen.length = 0;
  await refresh();
  expect(seen).toEqual(["+example.dev/v2 boats a", "-example.dev/v2 boats b"]);
});

it.each([
  [false, []],
  [true, ["a"]],
])("with keepUnserved %s, a kind that is no longer served leaves the objects %j", async (keepUnserved, left) => {
  const served: Record<string, Record<string, string[]>> = { v1: { boats: ["a"] } };
  const { group, refresh } = informerOf(served, { keepUnserved });
  await refresh();
  delete served["v1"];
  await refresh();
  const names = group.kinds().flatMap(({ informer }) => informer.lister.list().map(({ metadata }) => metadata.name));
  expect(names).toEqual(left);
});
