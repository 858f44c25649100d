// Three webhooks on a real API server, behind one address: together they keep quotas and budgets, whatever happens to the ledger.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { apiPath } from "../../src/cluster/api-path.ts";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import { LIFE_SECONDS } from "../../src/external-data/ledger/shard-rules.ts";
import type { Resource } from "../../src/model/kubernetes.ts";
import { admitMany, makeNamespace, overbooked, REFUSALS } from "../support/ledger/admit-many.ts";
import type { Fault } from "../support/ledger/fault-proxy.ts";
import { storedWorkloads } from "../support/ledger/find-overbooked.ts";
import { type Replicas, startReplicas } from "../support/ledger/start-replicas.ts";

const BUDGET = 12;
const LEDGERS = apiPath`/apis/landfall.dev/v1alpha1/namespaces/landfall-system/placementledgers`;
const ledger = (index: number) =>
  apiPath`/apis/landfall.dev/v1alpha1/namespaces/landfall-system/placementledgers/${`reservations-${String(index)}`}`;

let replicas: Replicas;
let client: KubeClient;
let round = 0;
let namespaces: string[] = [];
let quotas: Record<string, number> = {};

beforeAll(async () => {
  replicas = await startReplicas({ count: 3, budgets: { vcpus: BUDGET } });
  ({ client } = replicas.plane);
});

afterAll(() => replicas.stop());

/** Each round has namespaces of its own, and a provider whose places are empty. */
const PROVIDERS = ["gcp", "aws", "azure"];
beforeEach(async () => {
  round += 1;
  namespaces = [`one-${String(round)}`, `other-${String(round)}`];
  quotas = Object.fromEntries(namespaces.map((name, index) => [name, 10 + 8 * index]));
  for (const [name, quota] of Object.entries(quotas)) await makeNamespace(client, name, quota);
  replicas.proxy.choose(() => null);
});

const spec = () => ({ cpu: 2, memory: 4, provider: PROVIDERS[round % 3], dataResidency: ["FR", "DE", "IE"] });
const admit = (each = 1, connections = 48) =>
  admitMany(client, { namespaces, connections, each, spec, prefix: `r${String(round)}` });
const stored = async (): Promise<number> =>
  (await storedWorkloads(client)).filter(({ namespace }) => namespaces.includes(namespace)).length;
const excess = () => overbooked(replicas, { budget: BUDGET, quotas });
const ofLedger = (path: string): boolean => path.includes("/placementledgers");

/** Faults of so many percent of the calls about the ledger. */
const faulty = (percent: number, faults: readonly Fault[]): void => {
  replicas.proxy.choose((_method, path) =>
    ofLedger(path) && Math.random() * 100 < percent
      ? (faults[Math.floor(Math.random() * faults.length)] ?? null)
      : null,
  );
};

describe("three webhooks", () => {
  it("with 16 connections each fill quotas and budgets, and exceed none", async () => {
    const answers = await admit();
    expect(REFUSALS).toEqual(expect.arrayContaining(Object.keys(answers)));
    expect(await excess()).toEqual([]);
    // Each of them decided.
    expect(replicas.spread.counts().every((count) => count > 0)).toBe(true);
    // Those that came too early for the last of the room are repeated.
    await expect
      .poll(
        async () => {
          await admitMany(client, {
            namespaces,
            connections: 1,
            each: 4,
            spec,
            prefix: `again-${crypto.randomUUID().slice(0, 8)}`,
          });
          return stored();
        },
        { timeout: 60_000, interval: 1000 },
      )
      .toBe(14);
    expect(await excess()).toEqual([]);
  });

  it("exceed none when the API server answers late, with errors, or loses answers", async () => {
    faulty(30, [{ delay: 300 }, { status: 409 }, { status: 500 }, { lost: true }]);
    const answers = await admit();
    expect(REFUSALS).toEqual(expect.arrayContaining(Object.keys(answers)));
    expect(answers["admitted"]).toBeGreaterThan(0);
    expect(await excess()).toEqual([]);
  });

  it("exceed none when one of them is killed meanwhile", async () => {
    const admitted = admit(2);
    await sleep(300);
    await replicas.kill(1);
    const answers = await admitted;
    expect(REFUSALS).toEqual(expect.arrayContaining(Object.keys(answers)));
    expect(await excess()).toEqual([]);
    await replicas.start(1);
    await admit();
    expect(await excess()).toEqual([]);
  });

  it("refuse what they cannot write before the API server gives up, and say why", async () => {
    faulty(100, [{ status: 503 }]);
    const began = performance.now();
    const answers = await admitMany(client, { namespaces, connections: 3, each: 1, spec, prefix: "refused" });
    expect(answers).toEqual({ ADM_LEDGER: 3 });
    expect(performance.now() - began).toBeLessThan(9000);
    expect(await stored()).toBe(0);
  });

  it("reserve nothing in a dry run", async () => {
    const written = async (): Promise<number> => {
      const { items } = (await client.get<{ items: Resource[] }>(LEDGERS)) ?? { items: [] };
      return items.reduce((sum, { spec: one }) => sum + Number(one?.["serial"]), 0);
    };
    const before = await written();
    const path = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${namespaces[0] ?? ""}/vmtemplates`;
    const metadata = { name: "dry", namespace: namespaces[0] };
    const object = { apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata, spec: spec() };
    expect(await client.create<Resource>(path, object, { dryRun: "All" })).toMatchObject({ metadata: { name: "dry" } });
    expect(await written()).toBe(before);
  });

  it.each([
    ["deletes", () => Promise.all([0, 1, 2, 3].map((index) => client.remove(ledger(index))))],
    [
      "empties",
      () => Promise.all([0, 1, 2, 3].map((index) => client.patch(ledger(index), "merge", { spec: { entries: "" } }))),
    ],
  ])("exceed none when someone %s the ledger, and admit again when all entries would have ended", async (_, change) => {
    const admitted = admit(2);
    await sleep(200);
    await change();
    const answers = await admitted;
    expect(REFUSALS).toEqual(expect.arrayContaining(Object.keys(answers)));
    expect(await excess()).toEqual([]);
    await expect
      .poll(async () => (await admit(1, 2))["ADM_LEDGER_LOST"] ?? 0, {
        timeout: (LIFE_SECONDS + 20) * 1000,
        interval: 2000,
      })
      .toBe(0);
    expect(await excess()).toEqual([]);
    const { items } = (await client.get<{ items: Resource[] }>(LEDGERS)) ?? { items: [] };
    expect(items).toHaveLength(4);
  });
});
