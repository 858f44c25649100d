// Any namespace can make objects of Elemento's kinds that name a Secret, and Secrets as large and as wrong as it likes.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { ApiError } from "../../../../src/cluster/client/api-error.ts";
import type { KubeClient, ReadOptions } from "../../../../src/cluster/client/create-client.ts";
import type { ElementoApi } from "../../../../src/elemento/api/elemento-api.ts";
import { countMetrics } from "../../../../src/elemento/operator/metrics.ts";
import { openAccounts } from "../../../../src/elemento/operator/open-accounts.ts";
import { startOperator } from "../../../../src/elemento/start-operator.ts";
import { ownNamespaceOnly } from "../../../../src/elemento/tenants.ts";
import { catalog } from "../../../unit/elemento/samples.ts";

const OWN = { namespace: "landfall-system", name: "account" };
const base64 = (text: string): string => Buffer.from(text).toString("base64");

function accountsOf(get: (options: ReadOptions) => Promise<unknown>) {
  const clock = { nowMs: 0, reads: 0 };
  const client = {
    get: (_path: string, options: ReadOptions = {}) => {
      clock.reads += 1;
      return get(options);
    },
  } as unknown as KubeClient;
  const accounts = openAccounts({
    ...{ client, own: OWN, allowedUrls: ["https://elemento.example"], nowMs: () => clock.nowMs },
    open: () => ({ close: () => Promise.resolve() }) as unknown as ElementoApi,
  });
  return { clock, ask: () => accounts.of({ namespace: "evil", name: "mine" }) };
}

it("397: a Secret that was refused is read again after 15 s only, also if many ask at the same time", async () => {
  let data: Record<string, string> = { username: base64("u"), password: base64("p") };
  const { clock, ask } = accountsOf(() => Promise.resolve({ metadata: {}, data }));
  const answers = await Promise.allSettled(Array.from({ length: 20 }, ask));
  expect(answers.filter(({ status }) => status === "rejected")).toHaveLength(20);
  for (let round = 0; round < 20; round += 1) await expect(ask()).rejects.toThrow("its key url must be");
  expect(clock.reads).toBe(1);
  data = { ...data, url: base64("https://elemento.example/t") };
  clock.nowMs += 15_000;
  await ask();
  expect(clock.reads).toBe(2);
});

it("397: a failure of the API server is no refusal", async () => {
  const { clock, ask } = accountsOf(() => Promise.reject(new ApiError(503, { action: "GET", detail: "busy" })));
  await expect(ask()).rejects.toMatchObject({ status: 503 });
  await expect(ask()).rejects.toMatchObject({ status: 503 });
  expect(clock.reads).toBe(2);
});

it("397: a Secret of a megabyte is not read to its end, and refused as other wrong ones", async () => {
  const { clock, ask } = accountsOf(({ maxBytes = Infinity }) => {
    if (maxBytes < 1_000_000) return Promise.reject(new ApiError(413, { action: "GET", detail: "too large" }));
    return Promise.resolve({
      metadata: {},
      data: { username: base64("u"), password: base64("p"), more: "x".repeat(1_000_000) },
    });
  });
  for (let round = 0; round < 3; round += 1) await expect(ask()).rejects.toThrow("it has more than 131072 bytes");
  expect(clock.reads).toBe(1);
});

/** An API server with these volumes. It answers no request for a Secret. */
async function serve(volumes: readonly object[]) {
  const asked: string[] = [];
  const answer = (url: string, response: ServerResponse): void => {
    const { pathname, searchParams } = new URL(url, "http://server");
    if (pathname.includes("/secrets/")) return void asked.push(pathname);
    response.writeHead(200, { "content-type": "application/json" });
    if (searchParams.has("watch")) {
      response.flushHeaders();
      return;
    }
    const items = pathname.endsWith("/elementovolumes") ? volumes : [];
    response.end(
      JSON.stringify({
        apiVersion: "elemento.landfall.dev/v1alpha1",
        kind: "ElementoVolumeList",
        items,
        metadata: { resourceVersion: "1" },
      }),
    );
  };
  const server = createServer((request, response) => {
    answer(request.url ?? "", response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` };
}

const volume = (namespace: string, name: string): object => ({
  ...{ apiVersion: "elemento.landfall.dev/v1alpha1", kind: "ElementoVolume" },
  metadata: { namespace, name, uid: `${namespace}-${name}`, resourceVersion: "1", generation: 1 },
  spec: { name, provider: "ovh", deletionPolicy: "delete", credentialsSecret: { name } },
});

it("397, 399: objects of one namespace that wait do not take the workers of others", async () => {
  const evil = Array.from({ length: 40 }, (_, index) => volume("evil", `v${String(index)}`));
  const { asked, url } = await serve([...evil, volume("victim", "mine")]);
  const operator = startOperator({
    ...{
      config: { server: url, tls: {}, headers: () => Promise.resolve({}), namespace: "default" },
      open: () => ({}) as ElementoApi,
      ownAccount: OWN,
      allowedUrls: [],
    },
    ...{ tenants: ownNamespaceOnly(OWN.namespace), catalog, workers: 8, resyncSeconds: 60 },
    ...{ metrics: countMetrics(), log: pino({ level: "silent" }) },
  });
  onTestFinished(() => operator.stop());
  await expect.poll(() => asked, { timeout: 10_000 }).toContain("/api/v1/namespaces/victim/secrets/mine");
  expect(asked.filter((path) => path.includes("/evil/"))).toHaveLength(2);
});
