import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { ApiError } from "../../../../../src/cluster/client/api-error.ts";
import { claimNames } from "../../../../../src/cluster/claim-names.ts";
import { createClient, type KubeClient } from "../../../../../src/cluster/client/create-client.ts";
import { openConnections } from "../../../../../src/cluster/client/open-connections.ts";
import { shareSlots } from "../../../../../src/cluster/queue/share-slots.ts";
import { createWorkQueue, DONE } from "../../../../../src/cluster/queue/work-queue.ts";
import { listRevisions } from "../../../../../src/composition/helm/release-storage.ts";
import { openIdentities } from "../../../../../src/composition/identity/open-identities.ts";
import { startJsonService } from "../../../../support/services/json-service.ts";

it("1: a RoleBinding that a tenant keeps with a finalizer is refused without waiting", async () => {
  const config = { server: "http://127.0.0.1:9", tls: {}, headers: () => Promise.resolve({}), namespace: "default" };
  const roleRef = { kind: "Role", name: "own" };
  const foreign = { metadata: { name: "landfall-charts", finalizers: ["t/x"] }, roleRef, subjects: [] };
  const get = vi.fn(() => Promise.resolve(foreign));
  const client = {
    get,
    remove: () => Promise.resolve(true),
    create: () => Promise.reject(new ApiError(409, { action: "POST", detail: "already exists" })),
  } as unknown as KubeClient;
  const connections = openConnections(config);
  const identities = openIdentities({ config, connections, client, systemNamespace: "landfall-system" });
  await expect(identities.ensure("team", 0)).rejects.toMatchObject({ code: "REL_IDENTITY" });
  // Before and after it is written: nothing asks again and again.
  expect(get).toHaveBeenCalledTimes(2);
  await connections.destroy();
});

it("1: of thousands of Secrets that look like revisions, few are listed, a few at a time", async () => {
  const limits: number[] = [];
  const service = await startJsonService(({ url }) => {
    const limit = Number(url.searchParams.get("limit"));
    limits.push(limit);
    const from = Number(url.searchParams.get("continue") ?? "0");
    const items = Array.from({ length: limit }, (_, index) => ({
      metadata: {
        name: `s${String(from + index)}`,
        creationTimestamp: "2026-11-22T00:00:00Z",
        labels: { version: "1" },
      },
    }));
    return { status: 200, body: { metadata: { continue: String(from + limit) }, items } };
  });
  const client = createClient({ server: service.url, tls: {}, headers: () => Promise.resolve({}), namespace: "demo" });
  expect(await listRevisions(client, "demo", "web")).toHaveLength(100);
  expect(Math.max(...limits)).toBeLessThanOrEqual(5);
  await client.close();
  await service.close();
});

it("1: slow objects of one namespace leave workers to others, whose turn comes next", async () => {
  const began: string[] = [];
  const gate = Promise.withResolvers<undefined>();
  const queue = createWorkQueue({
    ...{ workers: 4, groups: { of: (key) => key.split("/")[0] ?? "", workers: 3 }, backoff: { firstMs: 1, maxMs: 1 } },
    onFailure: () => undefined,
    async handle(key) {
      began.push(key);
      if (key.startsWith("slow/")) await gate.promise;
      return DONE;
    },
  });
  for (let index = 0; index < 50; index += 1) queue.add(`slow/${String(index)}`);
  for (const key of ["one/a", "one/b", "two/a", "one/c"]) queue.add(key);
  await sleep(20);
  expect(began.slice(0, 3)).toEqual(["slow/0", "slow/1", "slow/2"]);
  expect(began.slice(3)).toEqual(["one/a", "one/b", "two/a", "one/c"]);
  gate.resolve(undefined);
  await expect.poll(() => began.length).toBe(54);
  await queue.drain();
});

it("1: helm's slots go round the namespaces, and one namespace never has all of them", async () => {
  const slots = shareSlots({ all: 2, group: 1 });
  const began: string[] = [];
  const work = (group: string, ms: number) =>
    slots(group, async () => {
      began.push(group);
      await sleep(ms);
      if (ms === 1) throw new Error("told to");
    });
  const hostile = [work("hostile", 40), work("hostile", 1), work("hostile", 1)];
  await Promise.allSettled([...hostile, work("victim", 5), work("victim", 5), work("other", 5)]);
  expect(began).toEqual(["hostile", "victim", "victim", "other", "hostile", "hostile"]);
});

it("1: work whose name is taken is told so at once, and has its turn after the other's end, also by an error", async () => {
  const alone = claimNames();
  const gate = Promise.withResolvers<string>();
  const first = alone(["x", "y"], () => gate.promise);
  expect(alone(["y", "z"], () => Promise.resolve("second"))).toBeNull();
  expect(await alone(["z"], () => Promise.resolve("third"))).toBe("third");
  gate.reject(new Error("told to"));
  await expect(first).rejects.toThrow("told to");
  expect(await alone(["y", "z"], () => Promise.resolve("second"))).toBe("second");
});
