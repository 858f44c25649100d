import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { claimInShards } from "../../../../src/external-data/ledger/claim-in-shards.ts";
import type { Claim } from "../../../../src/external-data/ledger/ledger-entry.ts";
import { openShard, type Shard } from "../../../../src/external-data/ledger/open-shard.ts";
import { NOW } from "../../../support/admission.ts";
import { codeOf, machine } from "../../../support/ledger/entries.ts";
import { type SharedStore, sharedStore } from "../../../support/ledger/shared-store.ts";

function open(store: SharedStore): Shard {
  let number = 0;
  const tell = (): number => (number += 1);
  const shard = openShard({ store: store.open(), tell, nowSeconds: () => NOW, onFailure: () => undefined });
  onTestFinished(() => shard.stop());
  return shard;
}

const claimOf = (name: string, vcpus: number, withinMs: number): Claim => ({
  ...{ id: name, key: `VmTemplate/demo/${name}`, creates: true, workload: machine(name), counted: 0 },
  ...{ slack: { quota: { vcpus }, budget: null }, untilMs: Date.now() + withinMs },
});

const keysOf = (store: SharedStore): string[] | undefined => store.content()?.entries.map(({ id }) => id);

it("a claim that one shard cannot write leaves the other one, so that it counts nowhere", async () => {
  const written = sharedStore();
  const shards = [open(written), open(sharedStore((call) => (call === "write" ? "error" : null)))];
  const claim = claimInShards(shards, claimOf("a", 9, 300), {}).catch(codeOf);
  await expect.poll(() => keysOf(written)).toEqual(["a"]);
  expect(await claim).toBe("ADM_LEDGER");
  await expect.poll(() => keysOf(written)).toEqual([]);
});

it("a claim that is outdated in one shard leaves the other one", async () => {
  const stores = [sharedStore(), sharedStore()] as const;
  const [quota, budget] = stores.map(open) as [Shard, Shard];
  expect(await budget.claim(claimOf("of another process", 1, 5000), {})).toBe("taken");
  expect(await claimInShards([quota, budget], claimOf("a", 0, 5000), {})).toBe("again");
  await expect.poll(() => keysOf(stores[0])).toEqual([]);
  expect(keysOf(stores[1])).toEqual(["of another process"]);
});

it("a claim whose write got no answer leaves the shard when it is given up before the shard is read again", async () => {
  let writes = 0;
  let isCut = false;
  const store = sharedStore((call) => {
    if (isCut) return "error";
    if (call === "read") return null;
    writes += 1;
    isCut = true;
    return "lost answer";
  });
  const shard = open(store);
  expect(await shard.claim(claimOf("a", 9, 200), {}).catch(codeOf)).toBe("ADM_LEDGER");
  expect([writes, keysOf(store)]).toEqual([1, ["a"]]);
  shard.withdraw("a");
  await sleep(10);
  isCut = false;
  await expect.poll(() => keysOf(store), { timeout: 5000 }).toEqual([]);
});
