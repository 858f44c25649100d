import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Claim } from "../../../../src/external-data/ledger/ledger-entry.ts";
import { openShard, type Shard } from "../../../../src/external-data/ledger/open-shard.ts";
import { LIFE_SECONDS } from "../../../../src/external-data/ledger/shard-rules.ts";
import type { ShardStore } from "../../../../src/external-data/ledger/shard-store.ts";
import type { TellEntry } from "../../../../src/external-data/ledger/shard-memory.ts";
import { NOW } from "../../../support/admission.ts";
import { randomOf } from "../../../support/ledger/random-of.ts";
import { type SharedStore, sharedStore } from "../../../support/ledger/shared-store.ts";
import { codeOf, machine } from "../../../support/ledger/entries.ts";

/** A replica of the webhook whose decisions are: a machine of one vCPU fits, as long as fewer than `quota` count. */
interface Replica {
  shard: Shard;
  admit: (name: string) => Promise<string>;
  counted: () => number;
}

function openReplica(store: SharedStore, quota: number, nowSeconds: () => number): Replica {
  const shared = new Set<string>();
  const own = new Set<string>();
  const origin = {};
  let number = 0;
  const tell: TellEntry = (id, entry) => {
    number += 1;
    if (entry === null) shared.delete(id);
    else shared.add(id);
    return number;
  };
  const shard = openShard({
    store: store.open(),
    tell,
    nowSeconds,
    elapsedSeconds: nowSeconds,
    onFailure: () => undefined,
  });
  const count = (): number => new Set([...shared, ...own]).size;
  async function admit(name: string, tries = 0): Promise<string> {
    const left = quota - count() - 1;
    if (left < 0) return "full";
    const id = `${name}.${String(tries)}`;
    own.add(id);
    const claim: Claim = {
      ...{ id, key: `VmTemplate/demo/${name}`, creates: true, workload: machine(name), counted: number },
      ...{ slack: { quota: { vcpus: left }, budget: null }, untilMs: Date.now() + 4000 },
    };
    const result = await shard.claim(claim, origin).catch(codeOf);
    if (result === "taken") return "admitted";
    shard.withdraw(id);
    own.delete(id);
    if (result !== "again") return result;
    // Each `again` tells of an entry that was not counted, and there are fewer than 100.
    return tries === 100 ? "again without end" : admit(name, tries + 1);
  }
  return { shard, admit, counted: () => shared.size };
}

const answers = async (replicas: readonly Replica[], names: readonly string[]): Promise<(string | undefined)[]> =>
  Promise.all(names.map(async (name, index) => replicas[index % replicas.length]?.admit(name)));

const namesOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `vm-${String(index)}`);
const admitted = (all: readonly (string | undefined)[]): number => all.filter((one) => one === "admitted").length;

describe("one shard with three replicas", () => {
  it("admits as many as fit, and each replica knows all of them", async () => {
    const store = sharedStore();
    const replicas = [0, 1, 2].map(() => openReplica(store, 10, () => NOW));
    const all = await answers(replicas, namesOf(48));
    expect([admitted(all), all.filter((one) => one === "full").length]).toEqual([10, 38]);
    expect(store.content()?.entries).toHaveLength(10);
  });

  it("writes what waits together", async () => {
    const store = sharedStore();
    const replica = openReplica(store, 100, () => NOW);
    expect(admitted(await answers([replica], namesOf(48)))).toBe(48);
    expect(replica.shard.counts().written).toBeLessThan(5);
  });

  it.each(Array.from({ length: 20 }, (_, seed) => seed))(
    "never exceeds the quota, with slow answers, lost answers and errors (seed %i)",
    async (seed) => {
      const random = randomOf(seed);
      const store = sharedStore(() => (["late", "lost answer", "error", null, null, null] as const)[random(6)] ?? null);
      const quota = 1 + random(20);
      const replicas = [0, 1, 2].map(() => openReplica(store, quota, () => NOW));
      const all = await answers(replicas, namesOf(30));
      expect(admitted(all)).toBeLessThanOrEqual(quota);
      // Nothing was refused for the faults: each was repeated in time.
      expect(new Set(all)).toEqual(new Set(all.includes("full") ? ["admitted", "full"] : ["admitted"]));
    },
  );
});

describe("a shard that someone else", () => {
  it.each([
    ["deletes", (store: SharedStore) => store.remove()],
    ["edits", (store: SharedStore) => store.edit(null)],
    ["sets back", (store: SharedStore) => store.edit({ serial: 1, notBefore: 0, entries: [] })],
  ])("%s admits nothing until what may be lost has ended, and then knows the entries again", async (_, change) => {
    const store = sharedStore();
    let now = NOW;
    const replicas = [0, 1, 2].map(() => openReplica(store, 3, () => now));
    expect(admitted(await answers(replicas, ["a", "b"]))).toBe(2);
    change(store);
    const [first] = replicas;
    expect(await first?.admit("c")).toBe("ADM_LEDGER_LOST");
    expect(await replicas[1]?.admit("c")).toBe("ADM_LEDGER_LOST");
    now += LIFE_SECONDS;
    expect(await first?.admit("c")).toBe("admitted");
    expect(store.content()?.entries.map(({ key }) => key)).toContain("VmTemplate/demo/c");
    expect(await replicas[2]?.admit("d")).not.toBe("admitted");
    expect(first?.counted()).toBeGreaterThanOrEqual(2);
  });
});

describe("an API server that cannot be written", () => {
  it("refuses in time, with what it said", async () => {
    const store = sharedStore(() => "error");
    const { shard } = openReplica(store, 3, () => NOW);
    const claim: Claim = {
      ...{ id: "a", key: "VmTemplate/demo/a", creates: true, workload: machine("a"), counted: 0 },
      ...{ slack: { quota: { vcpus: 1 }, budget: null }, untilMs: Date.now() + 100 },
    };
    const refused = await shard.claim(claim, {}).catch((thrown: unknown) => thrown);
    expect(codeOf(refused)).toBe("ADM_LEDGER");
    expect(String(refused)).toContain("status 500");
    shard.stop();
  });
});

describe("an API server that can be read and not written", () => {
  it("holds up one claim at a time, refuses the others at once, and is used again when it can", async () => {
    let isBroken = true;
    const replica = openReplica(
      sharedStore((call) => (isBroken && call === "write" ? "error" : null)),
      100,
      () => NOW,
    );
    const first = replica.admit("first");
    while (replica.shard.counts().failed < 4) await sleep(10);
    const before = replica.shard.counts().failed;
    expect(await answers([replica], namesOf(20))).toEqual(Array.from({ length: 20 }, () => "ADM_LEDGER"));
    // None of them waited for an attempt of its own: only that of the first may have failed again meanwhile.
    expect(replica.shard.counts().failed - before).toBeLessThanOrEqual(2);
    isBroken = false;
    expect(await first).toBe("admitted");
    expect(admitted(await answers([replica], namesOf(20)))).toBe(20);
  });
});

describe("a decision that is not answered", () => {
  it("leaves the ledger, and no longer counts elsewhere", async () => {
    const store = sharedStore();
    const [one, other] = [openReplica(store, 1, () => NOW), openReplica(store, 1, () => NOW)];
    expect(await one.admit("a")).toBe("admitted");
    one.shard.withdraw("a.0");
    await expect.poll(() => store.content()?.entries).toEqual([]);
    expect(await other.admit("b")).toBe("admitted");
  });

  const claimOf = (ms: number): Claim => ({
    ...{ id: "a", key: "VmTemplate/demo/a", creates: true, workload: machine("a"), counted: 0 },
    ...{ slack: { quota: { vcpus: 1 }, budget: null }, untilMs: Date.now() + ms },
  });
  const open = (store: ShardStore): Shard =>
    openShard({ store, tell: () => 0, nowSeconds: () => NOW, onFailure: () => undefined });
  const ids = (store: SharedStore): string[] | undefined => store.content()?.entries.map(({ id }) => id);

  it("leaves the ledger where its time ended while it was written", async () => {
    const store = sharedStore();
    const gate = Promise.withResolvers<undefined>();
    const own = store.open();
    const shard = open({
      ...own,
      async write(content, resourceVersion) {
        const written = await own.write(content, resourceVersion);
        await gate.promise;
        return written;
      },
    });
    expect(await shard.claim(claimOf(50), {}).catch(codeOf)).toBe("ADM_LEDGER");
    expect(ids(store)).toEqual(["a"]);
    gate.resolve(undefined);
    await expect.poll(() => ids(store)).toEqual([]);
  });

  it("leaves the ledger where the answer to its write was lost", async () => {
    let isAway = false;
    const store = sharedStore((call) => {
      if (isAway) return "error";
      // The write arrives, and then nothing is answered for a while.
      isAway = call === "write" && store.content() === null;
      return isAway ? "lost answer" : null;
    });
    const shard = open(store.open());
    expect(await shard.claim(claimOf(50), {}).catch(codeOf)).toBe("ADM_LEDGER");
    expect(ids(store)).toEqual(["a"]);
    shard.withdraw("a");
    isAway = false;
    await expect.poll(() => ids(store), { timeout: 5000 }).toEqual([]);
  });
});
