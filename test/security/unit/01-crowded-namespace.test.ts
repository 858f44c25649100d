import { expect, it } from "vitest";
import { ApiError } from "../../../src/cluster/api-error.ts";
import { createClient, createDispatcher, type KubeClient } from "../../../src/cluster/create-client.ts";
import { listRevisions } from "../../../src/composition/helm/release-storage.ts";
import { openIdentities } from "../../../src/composition/identity/open-identities.ts";
import { startJsonService } from "../../support/json-service.ts";

it("1: a RoleBinding that a tenant keeps with a finalizer is refused without waiting", async () => {
  const config = { server: "http://127.0.0.1:9", tls: {}, headers: () => Promise.resolve({}), namespace: "default" };
  const roleRef = { kind: "Role", name: "own" };
  const foreign = { metadata: { name: "landfall-charts", finalizers: ["t/x"] }, roleRef, subjects: [] };
  const client = {
    get: () => Promise.resolve(foreign),
    remove: () => Promise.resolve(true),
    create: () => Promise.reject(new ApiError(409, { action: "POST", detail: "already exists" })),
  } as unknown as KubeClient;
  const dispatcher = createDispatcher(config);
  const identities = openIdentities({ config, dispatcher, client, systemNamespace: "landfall-system" });
  const began = performance.now();
  await expect(identities.ensure("team", 0)).rejects.toMatchObject({ code: "REL_IDENTITY" });
  expect(performance.now() - began).toBeLessThan(2000);
  await dispatcher.close();
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
