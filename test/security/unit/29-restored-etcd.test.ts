import { expect, it, vi, onTestFinished } from "vitest";
import { apiPath } from "../../../src/cluster/api-path.ts";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { createInformer } from "../../../src/cluster/create-informer.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";

const object = (resourceVersion: string, value: string): Resource => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", data: { value } },
  metadata: { name: "a", namespace: "demo", resourceVersion },
});

/** An API server with these lists, one after the other, and a watch that gives these events after the first one. */
function server(lists: { resourceVersion: string; items: Resource[] }[], events: object[]): KubeClient {
  let listed = 0;
  return {
    get: () => {
      const list = lists[Math.min(listed, lists.length - 1)];
      listed += 1;
      return Promise.resolve({
        apiVersion: "v1",
        kind: "ConfigMapList",
        metadata: { resourceVersion: list?.resourceVersion },
        items: list?.items ?? [],
      });
    },
    stream: (_path: unknown, { signal }: { signal: AbortSignal }) =>
      Promise.resolve(
        (async function* () {
          for (const event of listed === 1 ? events : []) yield Buffer.from(`${JSON.stringify(event)}\n`);
          await new Promise((resolve) => {
            signal.addEventListener("abort", resolve);
          });
        })(),
      ),
  } as unknown as KubeClient;
}

it("29: after a restore of etcd, an object with a version that was given out before is read again", async () => {
  const seen: string[] = [];
  const informer = createInformer({
    client: server(
      [
        { resourceVersion: "90", items: [object("80", "before")] },
        { resourceVersion: "85", items: [object("80", "after")] },
      ],
      [{ type: "BOOKMARK", object: { metadata: { resourceVersion: "70" } } }],
    ),
    path: apiPath`/api/v1/configmaps`,
    onChange: (_, now) => void seen.push(String((now as unknown as { data: { value: string } } | null)?.data.value)),
  });
  onTestFinished(() => {
    informer.stop();
  });
  await vi.waitFor(() => {
    expect(seen).toEqual(["before", "after"]);
  }, 5000);
});

it("29: a list with a higher version tells of no object that did not change", async () => {
  const seen: string[] = [];
  const lists = ["90", "95"].map((resourceVersion) => ({ resourceVersion, items: [object("80", "same")] }));
  const informer = createInformer({
    client: server(lists, [{ type: "ERROR", object: { code: 410, message: "too old" } }]),
    path: apiPath`/api/v1/configmaps`,
    onChange: (_, now) => void seen.push(now?.metadata.name ?? "gone"),
  });
  onTestFinished(() => {
    informer.stop();
  });
  await informer.synced;
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(seen).toEqual(["a"]);
});
