// Namespaces may share the platform's account. Its limit of requests per second was served in the order in which their calls came.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { ApiPath } from "../../../../src/cluster/api-path.ts";
import { DEFAULTS, serviceUrls } from "../../../../src/elemento/api/client-options.ts";
import type { ElementoApi } from "../../../../src/elemento/api/elemento-api.ts";
import { openClient } from "../../../../src/elemento/api/open-client.ts";
import type { OperatorContext } from "../../../../src/elemento/operator/context.ts";
import { countMetrics } from "../../../../src/elemento/operator/metrics.ts";
import type { Account } from "../../../../src/elemento/operator/open-accounts.ts";
import { tagOf } from "../../../../src/elemento/own-name.ts";
import { reconcileObject } from "../../../../src/elemento/operator/reconcile-object.ts";

/** A service that notes the ids of the volumes that it is to delete, in the order of the requests. */
async function serve() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.once("end", () => {
      const isLogin = request.url?.endsWith("/login") ?? false;
      if (!isLogin) asked.push(/(?:loud|quiet)-\d+/.exec(`${request.url ?? ""} ${body}`)?.[0] ?? "");
      response.writeHead(200, { "content-type": "application/json" });
      response.end(isLogin ? '{"authenticated":true,"token":"t"}' : "{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const api = openClient({
    ...{ ...DEFAULTS, urls: serviceUrls(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`) },
    ...{ account: { username: "somebody", password: "hunter2" }, requestsPerSecond: 1000 },
  });
  onTestFinished(async () => {
    await api.close();
    server.closeAllConnections();
    server.close();
  });
  return { api, asked };
}

it("401: the calls of one namespace do not hold up those of another one at the same account", async () => {
  const { api, asked } = await serve();
  const remove = (namespace: string, count: number): Promise<void>[] =>
    Array.from({ length: count }, (_, index) => api.inTurnOf(namespace).destroyVolume(`${namespace}-${String(index)}`));
  await Promise.all([...remove("loud", 200), ...remove("quiet", 5)]);
  expect(asked).toHaveLength(205);
  // One of the slots is the quiet one's: a request may be slower than those that started later.
  expect(asked.indexOf("quiet-0")).toBeLessThan(8);
  expect(asked.indexOf("quiet-4")).toBeLessThan(40);
});

it("401: an object's calls are in the turn of its namespace", async () => {
  const turns: string[] = [];
  const api = {
    inTurnOf: (namespace: string) => {
      turns.push(namespace);
      return { destroyVolume: (id: string) => Promise.resolve(turns.push(id)) } as unknown as ElementoApi;
    },
  } as unknown as ElementoApi;
  const uid = "1b4e28ba";
  const object = {
    ...{ apiVersion: "elemento.landfall.dev/v1alpha1", kind: "ElementoVolume" },
    metadata: {
      ...{ namespace: "demo", name: "data", uid, resourceVersion: "1", generation: 1 },
      ...{ deletionTimestamp: "2026-11-29T08:00:00Z", finalizers: ["elemento.landfall.dev/finalizer"] },
    },
    spec: { name: "data", provider: "ovh", deletionPolicy: "delete" },
  };
  const items = [{ id: "v1", name: `data${tagOf(uid)}`, state: "available", vmIds: [] }];
  const account = { api, view: { volumes: () => Promise.resolve({ at: 0, items }) } } as unknown as Account;
  const context = {
    ...{
      accounts: { of: () => Promise.resolve(account) },
      ownAccount: { namespace: "landfall-system", name: "account" },
    },
    ...{
      metrics: countMetrics(),
      log: { debug: () => undefined, info: () => undefined },
      nowMs: () => 0,
      startedAt: 0,
    },
    ...{ wrote: () => undefined, client: { replace: (_path: string, body: unknown) => Promise.resolve(body) } },
  } as unknown as OperatorContext;
  const path = "/apis/elemento.landfall.dev/v1alpha1/namespaces/demo/elementovolumes/data" as ApiPath;
  await reconcileObject(context, { kind: "ElementoVolume", path, object });
  expect(turns).toEqual(["demo", "v1"]);
});
