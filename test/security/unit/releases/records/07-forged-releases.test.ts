import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { createClient } from "../../../../../src/cluster/client/create-client.ts";
import { readManifest, readValues } from "../../../../../src/composition/helm/release-storage.ts";
import { discover } from "../../../../../src/cluster/discover.ts";
import { watchManaged } from "../../../../../src/composition/managed/watch-managed.ts";
import { startJsonService } from "../../../../support/services/json-service.ts";

type Answer = { status: number; body: unknown };

async function serve(answer: (path: string) => Answer) {
  const service = await startJsonService(({ url }) => answer(url.pathname));
  const client = createClient({ server: service.url, tls: {}, headers: () => Promise.resolve({}), namespace: "demo" });
  const close = async (): Promise<void> => {
    await client.close();
    await service.close();
  };
  return { client, asked: service.asked, close };
}

it("7: a packed release that unpacks to 600 MB is not read, and takes no memory", async () => {
  const member = gzipSync(Buffer.alloc(20 * 1024 * 1024, 32));
  const bomb = Buffer.concat(Array.from({ length: 30 }, () => member));
  const release = Buffer.from(bomb.toString("base64")).toString("base64");
  const { client, close } = await serve(() => ({ status: 200, body: { data: { release } } }));
  const before = process.memoryUsage.rss();
  expect(await readValues(client, "demo", "sh.helm.release.v1.web.v1")).toEqual({});
  expect(await readManifest(client, "demo", "sh.helm.release.v1.web.v1")).toBe("");
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024);
  await close();
});

it("7: a release with a Secret reads the metadata of this Secret only, and watches none", async () => {
  const resources = [{ name: "secrets", kind: "Secret", namespaced: true, verbs: ["list", "watch"] }];
  const metadata = { name: "web", namespace: "demo" };
  const { client, asked, close } = await serve((path) =>
    path === "/api/v1"
      ? { status: 200, body: { resources } }
      : { status: 200, body: { metadata, data: { password: "cGF5cm9sbA==" }, status: { conditions: ["of others"] } } },
  );
  const ignore = (): void => undefined;
  const watches = watchManaged({
    ...{ client, tenant: () => client, discovery: discover(client), listLimitMs: 300 },
    ...{ onChange: ignore, onFailure: ignore, onRecovered: ignore },
  });
  const key = { apiVersion: "v1", kind: "Secret", namespace: "demo", name: "web" };
  await watches.ensure("v1", "Secret");
  expect(watches.get(key)).toBeUndefined();
  await watches.read(key);
  expect(watches.get(key)).toEqual({ apiVersion: "v1", kind: "Secret", metadata });
  expect(asked).toEqual(["/api/v1", "/api/v1/namespaces/demo/secrets/web"]);
  watches.stop();
  await close();
});
