import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createClient, type KubeClient } from "../../../../src/cluster/client/create-client.ts";
import { apiPath } from "../../../../src/cluster/api-path.ts";
import { readResources } from "../../../../src/console/resources/read-resources.ts";
import type { Resource } from "../../../../src/model/kubernetes.ts";

const PIECE = Buffer.alloc(256 * 1024, 0x20);

let server: Server;
let client: KubeClient;
let asked: string[];
let sent: number;

/** An API server whose answers never end, as those of watches, logs and a Pod behind `proxy`. */
beforeEach(async () => {
  [asked, sent] = [[], 0];
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(200, { "content-type": "application/json" });
    const send = (): void => {
      sent += PIECE.length;
      const isWritable = response.write(PIECE);
      if (!response.destroyed) {
        if (isWritable) setImmediate(send);
        else response.once("drain", send);
      }
    };
    send();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${String(port)}`;
  client = createClient({ server: url, tls: {}, headers: () => Promise.resolve({}), namespace: "default" });
});
afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  server.close();
});

function withPaths(paths: readonly string[]): Resource {
  const managed = paths.map((path, at) => ({ path, name: `n${String(at)}`, resource: "x", apiVersion: "v1" }));
  const metadata = { name: "web", namespace: "evil" };
  return { apiVersion: "v1", kind: "VmTemplate", metadata, spec: {}, status: { managed } };
}

const FOREIGN = [
  "/api/v1/watch/secrets",
  "/api/v1/secrets",
  "/api/v1/namespaces/evil/secrets/db",
  "/api/v1/namespaces/evil/pods",
  "/api/v1/namespaces/evil/pods/evil/log",
  "/api/v1/namespaces/evil/pods/evil:8080/proxy",
  "/api/v1/namespaces/evil/pods/evil:8080/proxy/x",
  "/api/v1/namespaces/payments/services/admin:80/proxy/api/drop-all",
  "/api/v1/namespaces/payments/configmaps/settings",
  "/api/v1/nodes/node-1/proxy/logs",
  "/apis/apps/v1/watch/namespaces/evil/deployments/web",
  "/apis/apps/v1/namespaces/payments/deployments/web",
  "/apis/apps/v1/namespaces/evil/deployments/web/scale",
  "/apis/apps/v1/namespaces/evil/../payments/deployments/web",
];

it("no path of a status but that of one object of its namespace is asked for with the viewer's rights", async () => {
  const { signal } = new AbortController();
  const { resources } = await readResources({ client, signal }, withPaths(FOREIGN));
  expect(asked).toEqual([]);
  expect(resources.map(({ state }) => state)).toEqual(FOREIGN.map(() => "unknown"));
});

it("a resource whose answer does not end is read to 4 MiB", async () => {
  const { signal } = new AbortController();
  const { resources } = await readResources({ client, signal }, withPaths(["/apis/g/v1/namespaces/evil/x/a"]));
  expect(asked).toEqual(["/apis/g/v1/namespaces/evil/x/a"]);
  expect(resources.map(({ state }) => state)).toEqual(["unknown"]);
  expect(sent).toBeLessThan(32 * 1024 * 1024);
});

it("nothing is read on for a page that was left", async () => {
  const left = AbortSignal.abort();
  const object = withPaths(["/apis/g/v1/namespaces/evil/x/a", "/apis/g/v1/namespaces/evil/x/b"]);
  await expect(readResources({ client, signal: left }, object)).rejects.toMatchObject({ code: "REL_API_AWAY" });
  expect(asked).toEqual([]);
});

it("no answer of an API server that does not end fills the memory of whoever asked", async () => {
  await expect(client.get(apiPath`/api/v1/pods`)).rejects.toMatchObject({ code: "REL_API", status: 413 });
  expect(sent).toBeLessThan(256 * 1024 * 1024);
});
