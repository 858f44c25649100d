// `node bench/ledger.ts [objects]`: what the ledger adds to an admission, on a real API server with three webhooks. Creations in a namespace
// with a quota and in one without take turns, so that both meet the same load. There are no budgets, so no object waits for a batch.
// So do writes of an object of a shard's size that no webhook reads: the part of the API server and of etcd.
import { apiPath, below } from "../src/cluster/api-path.ts";
import type { Resource } from "../src/model/kubernetes.ts";
import { admitMany, makeNamespace } from "../test/support/ledger/admit-many.ts";
import { startReplicas, SYSTEM } from "../test/support/ledger/start-replicas.ts";
import { quantile } from "./median.ts";

const OBJECTS = Number(process.argv[2] ?? "300");

const replicas = await startReplicas({ count: 3, budgets: {}, proxied: false });
const { client } = replicas.plane;

const BARE = "bare";
const LEDGERS = apiPath`/apis/landfall.dev/v1alpha1/namespaces/${SYSTEM}/placementledgers`;

/** The `spec` of the shard that holds the most. */
async function largest(): Promise<Record<string, unknown>> {
  const { items } = (await client.get<{ items: Resource[] }>(LEDGERS)) ?? { items: [] };
  const sizes = items.filter(({ metadata }) => metadata.name !== BARE).map(({ spec = {} }) => spec);
  return sizes.toSorted((a, b) => JSON.stringify(b).length - JSON.stringify(a).length)[0] ?? {};
}

/** Replaces an object that no webhook reads by one of this size, one write after the other. */
async function writeBare(spec: Record<string, unknown>, count: number, onAnswer: (ms: number) => void): Promise<void> {
  const about = { apiVersion: "landfall.dev/v1alpha1", kind: "PlacementLedger" };
  const path = below(LEDGERS, BARE);
  const present = await client.get<Resource>(path);
  let { metadata } =
    present ??
    (await client.create<Resource>(LEDGERS, { ...about, metadata: { name: BARE, namespace: SYSTEM }, spec }));
  for (let turn = 1; turn <= count; turn++) {
    const { managedFields: _, ...own } = metadata as Resource["metadata"] & { managedFields?: unknown };
    const began = performance.now();
    const written = await client.replace<Resource>(path, { ...about, metadata: own, spec: { ...spec, serial: turn } });
    onAnswer(performance.now() - began);
    ({ metadata } = written);
  }
}

/** The mean time of a claim since the last call, in ms. */
const claims = { sum: 0, count: 0 };
async function meanClaim(): Promise<number> {
  const [sum, count] = await Promise.all(
    ["sum", "count"].map((of) => replicas.metric(new RegExp(`^landfall_ledger_claim_seconds_${of}\\{result="taken"`))),
  );
  const mean = (1000 * ((sum ?? 0) - claims.sum)) / ((count ?? 0) - claims.count);
  Object.assign(claims, { sum, count });
  return mean;
}

/** Milliseconds of each creation in both namespaces and of bare writes, which take turns ten times. A first turn only warms up. */
async function measure(connections: number): Promise<{ times: Record<string, number[]>; bytes: number }> {
  const times: Record<string, number[]> = { free: [], limited: [], bare: [] };
  let bytes = 0;
  for (let turn = 0; turn <= 10; turn++) {
    const add = (what: string) => (ms: number) => void (turn > 0 && times[what]?.push(ms));
    for (const namespace of ["free", "limited"])
      await admitMany(client, {
        ...{ namespaces: [namespace], connections, each: Math.ceil(OBJECTS / 10 / connections) },
        ...{ prefix: `c${String(connections)}-t${String(turn)}`, spec: () => ({ cpu: 2, memory: 4, provider: "gcp" }) },
        onAnswer: add(namespace),
      });
    const spec = await largest();
    bytes = Math.max(bytes, JSON.stringify(spec).length);
    await writeBare(spec, Math.ceil(OBJECTS / 10 / connections), add(BARE));
  }
  return { times, bytes };
}

const WHAT: Record<string, string> = { free: "creation, no quota", limited: "creation, quota", bare: "bare write" };

try {
  await makeNamespace(client, "limited", 1_000_000);
  await makeNamespace(client, "free", 1_000_000);
  // Its quota goes, and with it what has to be written.
  await client.patch(apiPath`/api/v1/namespaces/${"free"}`, "merge", { metadata: { annotations: null } });
  process.stdout.write("| connections | what | p50 ms | p99 ms |\n|---|---|---|---|\n");
  for (const connections of [1, 48]) {
    const { times, bytes } = await measure(connections);
    for (const [what, values] of Object.entries(times)) {
      const figures = [0.5, 0.99].map((share) => quantile(values, share).toFixed(1));
      process.stdout.write(`| ${String(connections)} | ${WHAT[what] ?? what} | ${figures.join(" | ")} |\n`);
    }
    const claim = (await meanClaim()).toFixed(1);
    process.stdout.write(`largest shard: ${String(Math.round(bytes / 1024))} KiB; mean of a claim: ${claim} ms\n`);
  }
  const again = await replicas.metric(/^landfall_ledger_claim_seconds_count\{result="again"/);
  process.stdout.write(`decided again: ${String(again)}\n`);
} finally {
  await replicas.stop();
}
process.exit(0);
