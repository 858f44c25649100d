// 100 random runs against three webhooks on a real API server. LANDFALL_LEDGER_RUNS and LANDFALL_FUZZ_SEED change their number and repeat them.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiPath, below } from "../../src/cluster/api-path.ts";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import { LIFE_SECONDS } from "../../src/external-data/ledger/shard-rules.ts";
import { admitMany, makeNamespace, overbooked, REFUSALS } from "../support/ledger/admit-many.ts";
import type { Fault } from "../support/ledger/fault-proxy.ts";
import { storedWorkloads, vmsOf } from "../support/ledger/find-overbooked.ts";
import { randomOf } from "../support/ledger/random-of.ts";
import { type Replicas, startReplicas } from "../support/ledger/start-replicas.ts";

const RUNS = Number(process.env["LANDFALL_LEDGER_RUNS"] ?? "100");
const SEED = Number(process.env["LANDFALL_FUZZ_SEED"] ?? String(Date.now() % 1_000_000));
const BUDGET = 24;

const ledger = (index: number) =>
  apiPath`/apis/landfall.dev/v1alpha1/namespaces/landfall-system/placementledgers/${`reservations-${String(index)}`}`;

let replicas: Replicas;
let client: KubeClient;

beforeAll(async () => {
  replicas = await startReplicas({ count: 3, budgets: { vcpus: BUDGET } });
  ({ client } = replicas.plane);
});

afterAll(() => replicas.stop());

const FAULTS: readonly (readonly Fault[])[] = [
  [{ delay: 100 }, { delay: 1000 }, { delay: 4000 }],
  [{ status: 409 }],
  [{ status: 500 }, { status: 503 }, { status: 429 }],
  [{ lost: true }],
  [{ delay: 500 }, { status: 409 }, { status: 500 }, { lost: true }],
];

/** What happens besides the faults; resolves when it is over. */
type Disturbance = (random: (most: number) => number) => Promise<void>;

const DISTURBANCES: Readonly<Record<string, Disturbance>> = {
  nothing: () => Promise.resolve(),
  "a replica is killed": async (random) => {
    const index = random(3);
    await replicas.kill(index);
    await replicas.start(index);
  },
  "a shard is deleted": async (random) => void (await client.remove(ledger(random(4)))),
  "a shard is edited": async (random) =>
    void (await client.patch(ledger(random(4)), "merge", { spec: { entries: "", serial: 1 } })),
};

describe(`three webhooks (seed ${String(SEED)})`, () => {
  it.each(Array.from({ length: RUNS }, (_, run) => run))("exceed no quota and no budget in run %i", async (run) => {
    const random = randomOf(SEED + run);
    const pick = <T>(all: readonly T[]): T => all[random(all.length)] as T;
    const namespaces = [0, 1, 2].slice(0, 1 + random(3)).map((index) => `run-${String(run)}-${String(index)}`);
    const quotas = Object.fromEntries(namespaces.map((name) => [name, 2 + random(40)]));
    for (const [name, quota] of Object.entries(quotas)) await makeNamespace(client, name, quota);
    const provider = pick(["gcp", "aws", "azure"]);
    const [faults, percent] = [pick(FAULTS), pick([0, 5, 20, 50])];
    replicas.proxy.choose((_method, path) =>
      path.includes("/placementledgers") && random(100) < percent ? pick(faults) : null,
    );
    // Most disturbances take 20 s until the ledger is used again.
    const name = pick([
      "nothing",
      "nothing",
      "nothing",
      "nothing",
      "a replica is killed",
      "a shard is deleted",
      "a shard is edited",
    ]);
    const admitted = admitMany(client, {
      ...{ namespaces, connections: 48, each: 1 + random(2), prefix: "vm" },
      spec: () => ({ cpu: pick([1, 2, 4]), memory: pick([2, 4, 8]), provider, dataResidency: ["FR", "DE", "IE"] }),
    });
    await sleep(random(1500));
    const disturbed = DISTURBANCES[name]?.(random);
    const answers = await admitted;
    await disturbed;
    replicas.proxy.choose(() => null);
    const about = JSON.stringify({ run, name, percent, faults, answers });
    expect(REFUSALS, about).toEqual(expect.arrayContaining(Object.keys(answers)));
    expect(await overbooked(replicas, { budget: BUDGET, quotas }), about).toEqual([]);
    // The next run finds empty places, once what was lost has ended.
    for (const { namespace, name: object } of await storedWorkloads(client))
      await client.remove(below(vmsOf(namespace), object));
    if (name.includes("shard")) await sleep(LIFE_SECONDS * 1000);
  });
});
