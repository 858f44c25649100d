// A tenant's objects can be as large as the API server stores them. The sample for canaries keeps little of them, and a bundle that cannot
// be compared with the active one is not used.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_STORE } from "../../../../src/bundle/follow/open-others.ts";
import { ApiError } from "../../../../src/cluster/client/api-error.ts";
import type { KubeClient, ReadOptions } from "../../../../src/cluster/client/create-client.ts";
import { listLive } from "../../../../src/external-data/list-live.ts";
import { itself } from "../../../../src/external-data/sample-fairly.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { vm } from "../../../support/admission.ts";
import { type Bench, numbered, openBench } from "../../../support/bundles/watched-bundle.ts";

const VERSION = "composition.krateo.io/v0-2-0";

/** An API server with these objects, which refuses what is more than the client reads. `bytes`: of each answer. */
function serverOf(objects: readonly object[]): { client: KubeClient; bytes: number[] } {
  const bytes: number[] = [];
  const answerTo = (path: string, { query = {} }: ReadOptions): object => {
    if (path === "/apis/composition.krateo.io") return { versions: [{ groupVersion: VERSION }] };
    const verbs = ["list", "watch"];
    if (path === `/apis/${VERSION}`)
      return { resources: [{ kind: "VmTemplate", name: "vmtemplates", namespaced: true, verbs }] };
    const from = Number(query["continue"] ?? 0);
    const to = from + Number(query["limit"]);
    const metadata = { resourceVersion: "1", ...(to < objects.length ? { continue: String(to) } : {}) };
    return { apiVersion: VERSION, kind: "VmTemplateList", metadata, items: objects.slice(from, to) };
  };
  const get: KubeClient["get"] = <T>(path: string, options: ReadOptions = {}) => {
    const answer = answerTo(path, options);
    const size = JSON.stringify(answer).length;
    if (size > (options.maxBytes ?? Infinity))
      return Promise.reject(new ApiError(413, { action: `GET ${path}`, detail: "too large" }));
    bytes.push(size);
    return Promise.resolve(answer as T);
  };
  return { client: { get } as KubeClient, bytes };
}

describe("290: the sample of live objects", () => {
  it("is read in pages of a few MB, and has neither status nor managed fields", async () => {
    const pad = "x".repeat(1_000_000);
    const large = Array.from({ length: 30 }, (_, at) => ({
      metadata: { name: `n${String(at)}`, namespace: "eve", managedFields: [{ manager: pad }], labels: { a: "b" } },
      spec: { cpu: 2, memory: 4 },
      status: { message: pad },
    }));
    const { client, bytes } = serverOf(large);
    const sample = await listLive(client, 50, "seed", itself);
    expect(sample).toHaveLength(30);
    expect(sample[0]).toEqual({
      ...{ apiVersion: VERSION, kind: "VmTemplate", spec: { cpu: 2, memory: 4 } },
      metadata: { name: expect.any(String) as string, namespace: "eve", labels: { a: "b" } },
    });
    expect(Math.max(...bytes)).toBeLessThanOrEqual(4 * 1024 * 1024);
  });

  it("has no object that is far larger than one of use, and those of others", async () => {
    const { client } = serverOf([
      { metadata: { name: "a", namespace: "eve" }, spec: { tags: { a: "x".repeat(300_000) } } },
      { metadata: { name: "b", namespace: "bob" }, spec: { cpu: 2 } },
    ]);
    const sample = await listLive(client, 50, "seed", itself);
    expect(sample.map(({ metadata }) => metadata.namespace)).toEqual(["bob"]);
  });
});

describe("290: a bundle that cannot be compared", () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench();
  });
  afterAll(() => bench.stop());

  it("is not used until live objects can be listed", async () => {
    let canaries = (): Promise<WorkloadObject[]> => Promise.resolve([]);
    const { watch } = await bench.watch({ canaries: () => canaries(), store: NO_STORE });
    const first = await bench.push(await numbered(1));
    await watch.poll();
    const second = await bench.push(await numbered(2));
    canaries = () => Promise.reject(new ApiError(503, { action: "GET vmtemplates", detail: "no answer" }));
    await watch.poll();
    expect(watch.status()).toMatchObject({
      active: { digest: first },
      quarantined: [{ digest: second, code: "BUNDLE_UNCOMPARED" }],
    });
    canaries = () => Promise.resolve([vm({ cpu: 2, memory: 4 })]);
    await watch.poll();
    expect(watch.status()).toMatchObject({ active: { digest: second }, quarantined: [] });
  });
});
