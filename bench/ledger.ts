// `node bench/ledger.ts [objects]`: what the ledger adds to an admission, on a real API server with three webhooks. Creations in a namespace
// with a quota and in one without take turns, so that both meet the same load. There are no budgets, so no object waits for a batch.
import { apiPath } from "../src/cluster/api-path.ts";
import { admitMany, makeNamespace } from "../test/support/ledger/admit-many.ts";
import { startReplicas } from "../test/support/ledger/start-replicas.ts";

const OBJECTS = Number(process.argv[2] ?? "300");

/** `share` of the values is not above it. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

const replicas = await startReplicas({ count: 3, budgets: {} });
const { client } = replicas.plane;

/** Milliseconds of each creation in both namespaces, which take turns ten times. A first turn only warms up. */
async function measure(connections: number): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = { free: [], limited: [] };
  const turns = Array.from({ length: 11 }, (_, turn) => turn).flatMap((turn) =>
    Object.keys(times).map((namespace) => ({ turn, namespace })),
  );
  for (const { turn, namespace } of turns)
    await admitMany(client, {
      ...{ namespaces: [namespace], connections, each: Math.ceil(OBJECTS / 10 / connections) },
      ...{ prefix: `c${String(connections)}-t${String(turn)}`, spec: () => ({ cpu: 2, memory: 4, provider: "gcp" }) },
      onAnswer: (milliseconds) => void (turn > 0 && times[namespace]?.push(milliseconds)),
    });
  return times;
}

try {
  await makeNamespace(client, "limited", 1_000_000);
  await makeNamespace(client, "free", 1_000_000);
  // Its quota goes, and with it what has to be written.
  await client.patch(apiPath`/api/v1/namespaces/${"free"}`, "merge", { metadata: { annotations: null } });
  process.stdout.write("| connections | quota | p50 ms | p99 ms |\n|---|---|---|---|\n");
  for (const connections of [1, 48])
    for (const [namespace, values] of Object.entries(await measure(connections))) {
      const figures = [0.5, 0.99].map((share) => quantile(values, share).toFixed(1));
      const quota = namespace === "free" ? "no" : "yes";
      process.stdout.write(`| ${String(connections)} | ${quota} | ${figures.join(" | ")} |\n`);
    }
  const again = await replicas.metric(/^landfall_ledger_claim_seconds_count\{result="again"/);
  process.stdout.write(`decided again: ${String(again)}\n`);
} finally {
  await replicas.stop();
}
process.exit(0);
