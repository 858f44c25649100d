/** Reads the objects of a server as a part of the webhook or the controller does, and prints how many it has then. */
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "../../../src/cluster/client/create-client.ts";
import { discover } from "../../../src/cluster/discover.ts";
import { watchCompositions } from "../../../src/composition/controller/watch-compositions.ts";
import { watchManaged } from "../../../src/composition/managed/watch-managed.ts";
import { readCluster } from "../../../src/audit/read-cluster.ts";
import { listLive } from "../../../src/external-data/list-live.ts";
import { itself } from "../../../src/external-data/sample-fairly.ts";
import { watchCluster } from "../../../src/external-data/watch-cluster.ts";
import { ringOf } from "../../../src/model/decision-annotation/key-ring.ts";

const [, , watcher, server = ""] = process.argv;
const client = createClient({ server, tls: {}, headers: () => Promise.resolve({}), namespace: "default" });
const onFailure = (...told: unknown[]): void => {
  process.stderr.write(`${told.map(String).join(" ")}\n`);
};

async function asWebhook(): Promise<number> {
  const seen = new Set<string>();
  const watch = watchCluster({
    ...{ client, systemNamespace: "landfall-system", keys: () => ringOf(Buffer.alloc(32, 7)), onFailure },
    onEvent: (event) => {
      if (event.type === "workload" && event.workload !== null) seen.add(event.key);
    },
    nowSeconds: () => Date.now() / 1000,
  });
  while (!watch.hasSynced()) await sleep(50);
  return seen.size;
}

async function asController(): Promise<number> {
  const watch = watchCompositions({
    ...{ client, discovery: discover(client), onFailure, listLimitMs: 240_000 },
    ...{ onChange: () => undefined, onGone: () => undefined, onRecovered: () => undefined },
  });
  await watch.refresh();
  return watch.isCurrent() ? watch.list().length : -1;
}

/** The controller's look at the objects of releases, here ConfigMaps. */
async function asReleases(): Promise<number> {
  const managed = watchManaged({
    ...{ client, tenant: () => client, discovery: discover(client), onFailure, listLimitMs: 60_000 },
    ...{ onChange: onFailure, onRecovered: () => undefined },
  });
  await managed.ensure("v1", "ConfigMap");
  const found = await managed.read({ apiVersion: "v1", kind: "ConfigMap", namespace: "demo", name: "large-1" });
  return found === null ? 0 : 1;
}

const READERS: Readonly<Record<string, () => Promise<number>>> = {
  webhook: asWebhook,
  controller: asController,
  scan: async () => (await readCluster(client, Date.now() / 1000)).objects.length,
  canaries: async () => (await listLive(client, 200, "seed", itself)).length,
  releases: asReleases,
};

const known = (await READERS[watcher ?? ""]?.()) ?? -1;
process.stdout.write(`${String(known)} objects, ${String(Math.round(process.memoryUsage().rss / 1e6))} MB`, () => {
  process.exit(0);
});
