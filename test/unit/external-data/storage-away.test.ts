// The API server goes on without its storage: it keeps watches open and calls webhooks.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { createClient } from "../../../src/cluster/client/create-client.ts";
import type { ClusterEvent } from "../../../src/external-data/cluster-data.ts";
import { watchCluster } from "../../../src/external-data/watch-cluster.ts";
import { ringOf } from "../../../src/model/decision-annotation/key-ring.ts";

it("is told once its storage answers again", async () => {
  let isAway = false;
  const server = createServer((asked, answer) => {
    const { pathname, searchParams } = new URL(asked.url ?? "/", "http://localhost");
    // A watch stays open without an event.
    if (searchParams.get("watch") === "true") return void answer.write("\n");
    if (pathname === "/api/v1/namespaces/kube-system" && isAway)
      return void answer.writeHead(500).end(JSON.stringify({ message: "etcdserver: request timed out" }));
    const list = { apiVersion: "v1", kind: "List", versions: [], items: [], metadata: { resourceVersion: "1" } };
    return void answer.setHeader("content-type", "application/json").end(JSON.stringify(list));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const client = createClient({ server: url, tls: {}, headers: () => Promise.resolve({}), namespace: "demo" });
  const [seen, failures]: [ClusterEvent[], string[]] = [[], []];
  const watch = watchCluster({
    ...{ client, systemNamespace: null, keys: () => ringOf(Buffer.alloc(32, 7)), nowSeconds: () => Date.now() / 1000 },
    onEvent: (event) => void (event.type === "seen" && seen.push(event)),
    onFailure: (message) => void failures.push(message),
  });
  onTestFinished(async () => {
    watch.stop();
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  await vi.waitFor(() => expect(seen.length).toBeGreaterThan(0), 15_000);
  expect(seen.filter((event) => event.type === "seen" && event.wasAway)).toEqual([]);
  isAway = true;
  await vi.waitFor(() => expect(failures.join()).toContain("etcdserver"), 15_000);
  const before = seen.length;
  isAway = false;
  await vi.waitFor(() => expect(seen.length).toBeGreaterThan(before), 15_000);
  expect(seen.at(before)).toMatchObject({ wasAway: true });
}, 40_000);
