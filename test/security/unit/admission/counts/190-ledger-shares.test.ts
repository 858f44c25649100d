import { describe, expect, it, onTestFinished } from "vitest";
import { bytesOf } from "../../../../../src/external-data/ledger/entry-line.ts";
import type { Claim, LedgerEntry } from "../../../../../src/external-data/ledger/ledger-entry.ts";
import { openShard, type Shard } from "../../../../../src/external-data/ledger/open-shard.ts";
import { MOST_BYTES } from "../../../../../src/external-data/ledger/shard-rules.ts";
import type { TellEntry } from "../../../../../src/external-data/ledger/shard-memory.ts";
import type { ExistingWorkload } from "../../../../../src/model/cluster-data.ts";
import { NOW } from "../../../../support/admission.ts";
import { codeOf, machine } from "../../../../support/ledger/entries.ts";
import { sharedStore } from "../../../../support/ledger/shared-store.ts";

const clock = { now: NOW };
let count = 0;

function open(
  store = sharedStore(),
  tell: (...told: Parameters<TellEntry>) => void = () => undefined,
): { shard: Shard; entries: () => readonly LedgerEntry[] } {
  let number = 0;
  const numbered: TellEntry = (id, entry) => {
    tell(id, entry);
    number += 1;
    return number;
  };
  const shard = openShard({
    ...{ store: store.open(), tell: numbered, nowSeconds: () => clock.now, elapsedSeconds: () => clock.now },
    onFailure: () => undefined,
  });
  onTestFinished(() => {
    shard.stop();
  });
  return { shard, entries: () => store.content()?.entries ?? [] };
}

/** What a request for this machine gets. */
async function admit(shard: Shard, workload: ExistingWorkload, fields: Partial<Claim> = {}): Promise<string> {
  count += 1;
  const claim: Claim = {
    ...{ id: `id-${String(count)}`, key: `VmTemplate/${workload.namespace}/${workload.name}`, creates: false },
    ...{ workload, counted: 1e9, slack: { quota: { vcpus: 1e6 }, budget: null }, untilMs: Date.now() + 30_000 },
    ...fields,
  };
  return shard.claim(claim, shard).catch(codeOf);
}

const keyOf = ({ namespace, name }: ExistingWorkload): string => `VmTemplate/${namespace}/${name}`;
const see = (shard: Shard, workload: ExistingWorkload): void => {
  shard.see({ type: "workload", key: keyOf(workload), workload });
};
const seeDeleted = (shard: Shard, name: string): void => {
  shard.see({ type: "workload", key: `VmTemplate/demo/${name}`, workload: null });
};

const sizeOf = (entries: readonly LedgerEntry[]): number => entries.reduce((sum, entry) => sum + bytesOf(entry), 0);

const admitAll = (shard: Shard, workloads: readonly ExistingWorkload[]): Promise<string[]> =>
  Promise.all(workloads.map((one) => admit(shard, one)));

/** So many machines of a namespace. */
const machinesOf = (namespace: string, many: number): ExistingWorkload[] =>
  Array.from({ length: many }, (_, index) => machine(`vm-${String(index)}`, { namespace }));

const tally = (answers: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1;
  return counts;
};

describe("190: the ledger", () => {
  it("keeps few entries of an object that is updated in a loop", async () => {
    const { shard, entries } = open();
    for (let index = 0; index < 500; index += 1) {
      const workload = machine("mine", { memoryGiB: 3 + (index % 2) });
      expect(await admit(shard, workload)).toBe("taken");
      see(shard, workload);
      if (index % 50 === 0) clock.now += 1;
    }
    expect(entries().length).toBeLessThanOrEqual(4);
  });

  it("keeps few entries of objects that are created and deleted in a loop", async () => {
    const { shard, entries } = open();
    for (let index = 0; index < 200; index += 1) {
      const workload = machine(`vm-${String(index)}`);
      expect(await admit(shard, workload, { creates: true })).toBe("taken");
      see(shard, workload);
      seeDeleted(shard, `vm-${String(index)}`);
    }
    expect(entries().length).toBeLessThanOrEqual(2);
  });

  it("keeps the entry of an object that is created again under the name of a deleted one", async () => {
    const { shard, entries } = open();
    const [first, second] = [machine("vm"), machine("vm", { decisionId: "another nonce" })];
    await admit(shard, first, { creates: true });
    see(shard, first);
    await admit(shard, second, { creates: true });
    // Of the first, which counts as much.
    see(shard, first);
    seeDeleted(shard, "vm");
    await admit(shard, machine("other"));
    expect(entries()).toMatchObject([{ workload: { decisionId: "another nonce" } }, { workload: { name: "other" } }]);
  });

  it("keeps the entry of an object that was changed, and has an offer until that is confirmed (270)", async () => {
    const { shard, entries } = open();
    const workload = machine("vm");
    await admit(shard, workload, { creates: true });
    see(shard, workload);
    shard.see({ type: "workload", key: keyOf(workload), workload: machine("vm", { vcpus: 1 }), isOffer: true });
    await admit(shard, machine("other"));
    expect(entries()).toMatchObject([{ workload: { name: "vm" } }, { workload: { name: "other" } }]);
    seeDeleted(shard, "vm");
    await admit(shard, machine("third"));
    expect(entries()).toMatchObject([{ workload: { name: "other" } }, { workload: { name: "third" } }]);
  });

  it("keeps an earlier entry that counts for more, and every one whose object was not seen", async () => {
    const { shard, entries } = open();
    const [large, small] = [machine("mine", { vcpus: 8 }), machine("mine", { vcpus: 2 })];
    await admit(shard, large);
    see(shard, large);
    await admit(shard, small);
    see(shard, small);
    await admit(shard, machine("mine", { vcpus: 16 }));
    await admit(shard, machine("other"));
    expect(entries()).toHaveLength(4);
  });

  it("counts the later entry in other replicas when an earlier one leaves", async () => {
    const store = sharedStore();
    const { shard } = open(store);
    const counted = new Map<string, number>();
    const other = open(store, (id, entry) => {
      if (entry === null) counted.delete(id);
      else counted.set(id, entry.workload.vcpus);
    });
    for (const vcpus of [1, 2, 4]) {
      const workload = machine("mine", { vcpus });
      await admit(shard, workload, { id: `update ${String(vcpus)}` });
      await other.shard.read();
      see(shard, workload);
    }
    await admit(shard, machine("another"), { id: "another" });
    await other.shard.read();
    expect([...counted]).toEqual([
      ["update 4", 4],
      ["another", 1],
    ]);
  });

  it("refuses a namespace that has its share, and no other", async () => {
    const { shard, entries } = open();
    const answers = tally(await admitAll(shard, machinesOf("tenant", 4000)));
    expect(answers).toEqual({ taken: entries().length, ADM_BUSY: 4000 - entries().length });
    expect(sizeOf(entries())).toBeGreaterThanOrEqual(MOST_BYTES / 2);
    expect(sizeOf(entries().slice(0, -1))).toBeLessThan(MOST_BYTES / 2);
    expect(tally(await admitAll(shard, machinesOf("victim", 100)))).toEqual({ taken: 100 });
  });

  it("that is full refuses the namespaces that have the most, and then all", async () => {
    const { shard, entries } = open();
    for (const namespace of ["one", "two"]) await admitAll(shard, machinesOf(namespace, 4000));
    expect(tally(await admitAll(shard, machinesOf("victim", 100)))).toEqual({ taken: 100 });
    expect(await admit(shard, machine("more", { namespace: "one" }))).toBe("ADM_BUSY");
    const before = entries().length;
    const answers = tally(await admitAll(shard, machinesOf("third", 2000)));
    const taken = entries().length - before;
    expect(answers).toEqual({ taken, ADM_LEDGER: 2000 - taken });
    expect(sizeOf(entries())).toBeGreaterThanOrEqual(1.25 * MOST_BYTES);
    expect(sizeOf(entries().slice(0, -1))).toBeLessThan(1.25 * MOST_BYTES);
  });
});
