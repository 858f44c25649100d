import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import { apiPath } from "../../../src/cluster/api-path.ts";
import type { KubeClient, ReadOptions } from "../../../src/cluster/client/create-client.ts";
import { createInformer } from "../../../src/cluster/create-informer.ts";

type Watch = (signal: AbortSignal) => AsyncGenerator<Buffer>;

/** A watch that ends cleanly without an event. */
// oxlint-disable-next-line require-yield
const endsAtOnce: Watch = async function* () {
  await sleep(1);
};
const isRefused: Watch = () => {
  throw new ApiError(403, { action: "watch", detail: "forbidden" });
};
/** A watch that sends nothing and stays open. */
// oxlint-disable-next-line require-yield
const staysOpen: Watch = async function* (signal) {
  await sleep(60_000, undefined, { signal });
};
const sends = (event: object): Watch =>
  async function* (signal) {
    yield Buffer.from(`${JSON.stringify(event)}\n`);
    await sleep(60_000, undefined, { signal });
  };

const item = (name: string) => ({ metadata: { name, namespace: "demo", resourceVersion: "1" } });

/** An informer of an API server with one object; `watches` are its answers to watches, the last one again and again. */
function follow(watches: Watch[], listMs = 0) {
  const counts = { lists: 0, watches: 0, recovered: 0, failures: 0, changes: 0, aborted: 0 };
  const deleted: unknown[] = [];
  const client = {
    get: async (_path: string, { signal }: ReadOptions) => {
      counts.lists += 1;
      signal?.addEventListener("abort", () => (counts.aborted += 1));
      // The answer comes whether or not somebody still waits for it.
      await sleep(listMs);
      return { apiVersion: "example.dev/v1", kind: "BoatList", items: [item("a")], metadata: { resourceVersion: "1" } };
    },
    stream: (_path: string, { signal }: { signal: AbortSignal }) => {
      const watch = watches[Math.min(counts.watches, watches.length - 1)] ?? staysOpen;
      counts.watches += 1;
      return Promise.resolve().then(() => watch(signal));
    },
  } as unknown as KubeClient;
  const informer = createInformer({
    ...{ client, path: apiPath`/apis/example.dev/v1/boats` },
    onChange: (_before, now, last) => {
      counts.changes += 1;
      if (now === null) deleted.push(last);
    },
    onRecovered: () => void (counts.recovered += 1),
    onFailure: (_thrown, failures) => void (counts.failures = failures),
  });
  onTestFinished(() => {
    informer.stop();
  });
  return { counts, informer, deleted };
}

it("waits longer and longer while lists succeed and watches are refused", async () => {
  const { counts, informer } = follow([isRefused]);
  await vi.waitFor(() => expect(counts.failures).toBe(3), { timeout: 3000 });
  expect(counts).toMatchObject({ lists: 3, recovered: 0 });
  expect(informer.isCurrent()).toBe(false);
});

it("waits a second before reopening a watch that ended at once", async () => {
  const { counts, informer } = follow([endsAtOnce]);
  await informer.synced;
  await sleep(300);
  expect(counts).toMatchObject({ lists: 1, watches: 1 });
  await vi.waitFor(() => expect(counts.watches).toBe(2), { timeout: 2000 });
});

const BOOKMARK = { type: "BOOKMARK", object: { metadata: { resourceVersion: "2" } } };
it.each([
  ["sends an event", sends(BOOKMARK)],
  ["is open for a second", staysOpen],
])("has recovered, once, when a watch %s", async (_, watch) => {
  const { counts, informer } = follow([isRefused, watch]);
  await vi.waitFor(() => expect(counts.recovered).toBe(1), { timeout: 3000 });
  expect(informer.isCurrent()).toBe(true);
  expect(counts).toMatchObject({ lists: 2, watches: 2, changes: 1 });
});

it("ignores a list that is answered after a stop", async () => {
  const { counts, informer } = follow([staysOpen], 50);
  informer.stop();
  await expect(informer.synced).rejects.toThrow("the informer was stopped");
  await sleep(100);
  expect(counts).toMatchObject({ lists: 1, watches: 0, changes: 0, recovered: 0, aborted: 1 });
  expect(informer.lister.list()).toEqual([]);
});

it("tells in which state an object was deleted, which is not always the state that was seen last", async () => {
  const object = { metadata: { name: "a", namespace: "demo", resourceVersion: "3", finalizers: ["example.dev/f"] } };
  const { deleted, informer } = follow([sends({ type: "DELETED", object })]);
  await vi.waitFor(() => expect(deleted).toEqual([object]));
  expect(informer.lister.list()).toEqual([]);
});
