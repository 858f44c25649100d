// Each object that is created gets a Secret in Landfall's own namespace. A tenant who creates and deletes objects in a loop made one for
// each of more than an hour, of which every process of Landfall holds a copy.
import { pino } from "pino";
import { describe, expect, it, vi } from "vitest";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import type { Composition } from "../../../../src/composition/context/composition-context.ts";
import { sweepBindings } from "../../../../src/composition/decision/sweep-bindings.ts";
import { openBindings } from "../../../../src/composition/record/open-bindings.ts";
import { watchDecisions } from "../../../../src/external-data/watch-decisions.ts";
import type { Resource } from "../../../../src/model/kubernetes.ts";
import { formatTime } from "../../../../src/model/time.ts";
import { NOW } from "../../../support/admission.ts";
import { secretStore } from "../../../support/composition/secret-store.ts";

const SECRETS = "/api/v1/namespaces/landfall-system/secrets";
const HOUR = 3600;
const log = pino({ level: "silent" });

/** A controller that first started `startedAgo` seconds before NOW, and the Secrets of its namespace. */
function controller(startedAgo: number) {
  let now = NOW - startedAgo;
  const { client, objects } = secretStore();
  const dated: KubeClient = {
    ...client,
    async create<T>(path: string, body: unknown): Promise<T> {
      const { metadata, ...rest } = body as Resource;
      return client.create(path as never, { ...rest, metadata: { ...metadata, creationTimestamp: formatTime(now) } });
    },
    async get<T>(path: string): Promise<T | null> {
      const items = [...objects.values()];
      return path === SECRETS
        ? ({ kind: "SecretList", apiVersion: "v1", metadata: { resourceVersion: "1" }, items } as T)
        : client.get(path as never);
    },
  };
  const options = { client: dated, systemNamespace: "landfall-system", nowSeconds: () => now };
  const left = (): string[] => [...objects.keys()].filter((path) => path.includes("/landfall.decision."));
  return {
    bindings: openBindings(options),
    open: () => openBindings(options),
    left,
    at: (time: number) => (now = time),
  };
}

const none = (): boolean => false;

describe("391: bindings of objects that were created and deleted in a loop", () => {
  it.each(["own", "all"] as const)("are removed after ten minutes: %s", async (of) => {
    const { bindings, left, at } = controller(2 * HOUR);
    await bindings.legacyUntil();
    at(NOW);
    for (let index = 0; index < 50; index += 1)
      await bindings.bind({ id: `a${String(index)}`, uid: `u${String(index)}` });
    await bindings.note("u50", NOW);
    at(NOW + 599);
    expect(await bindings.sweep(none, of)).toBe(0);
    at(NOW + 600);
    expect(await bindings.sweep(({ id }) => id === "a7", of)).toBe(50);
    expect(left()).toEqual([`${SECRETS}/landfall.decision.a7`]);
    expect(await bindings.latestOf("u50")).toBe(0);
  });

  it("made by an earlier process are found as well", async () => {
    const { bindings, open, left, at } = controller(2 * HOUR);
    await bindings.legacyUntil();
    at(NOW);
    await bindings.bind({ id: "a1", uid: "u1" });
    at(NOW + 600);
    const later = open();
    expect(await later.sweep(none, "own")).toBe(0);
    expect(await later.sweep(none, "all")).toBe(1);
    expect(left()).toEqual([]);
  });

  it("stay for an hour as long as decisions of an earlier version can be copied", async () => {
    const { bindings, at } = controller(0);
    await bindings.legacyUntil();
    await bindings.bind({ id: "a1", uid: "u1" });
    at(NOW + HOUR - 1);
    expect(await bindings.sweep(none, "all")).toBe(0);
    at(NOW + HOUR);
    expect(await bindings.sweep(none, "all")).toBe(1);
  });

  it("are looked for every 30 s, without a list of all Secrets, and not before all objects are known", async () => {
    vi.useFakeTimers();
    try {
      const asked: string[] = [];
      const sweep = (_: unknown, of: string): Promise<number> => Promise.resolve(asked.push(of));
      let known: Composition[] | null = null;
      const stop = sweepBindings({ bindings: { sweep } as never, list: () => known, log });
      await vi.advanceTimersByTimeAsync(60_000);
      expect(asked).toEqual([]);
      known = [];
      await vi.advanceTimersByTimeAsync(600_000);
      expect(asked).toEqual([...Array<string>(19).fill("own"), "all"]);
      await stop();
    } finally {
      vi.useRealTimers();
    }
  });

  it("are kept without their field managers", async () => {
    const metadata = {
      name: "landfall.decision.a1",
      annotations: { "landfall.dev/bound-uid": "u1" },
      resourceVersion: "1",
    };
    const item = { metadata: { ...metadata, managedFields: [{ manager: "node" }] } };
    const page = { kind: "SecretList", apiVersion: "v1", metadata: { resourceVersion: "1" }, items: [item] };
    const client = {
      get: () => Promise.resolve(page),
      stream: () => new Promise(() => undefined),
    } as unknown as KubeClient;
    const seen: unknown[] = [];
    const informer = watchDecisions({
      ...{ client, systemNamespace: "landfall-system", relistSeconds: 600 },
      onEvent: (event) => seen.push(event),
      onFailure: (thrown) => seen.push(thrown),
    });
    await informer.synced;
    expect(seen).toEqual([{ type: "binding", id: "a1", uid: "u1" }]);
    expect(informer.lister.list().map((one) => one.metadata)).toEqual([metadata]);
    informer.stop();
  });
});
