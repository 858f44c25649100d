// Replicas whose clocks differ by more than they should: none takes an entry out that still counts for the others.
import { expect, it, onTestFinished } from "vitest";
import type { Claim } from "../../../../src/external-data/ledger/ledger-entry.ts";
import { openShard, type Shard } from "../../../../src/external-data/ledger/open-shard.ts";
import { NOW } from "../../../support/admission.ts";
import { codeOf, machine } from "../../../support/ledger/entries.ts";
import { sharedStore } from "../../../support/ledger/shared-store.ts";

const claimOf = (name: string, namespace: string): Claim => ({
  ...{ id: name, key: `VmTemplate/${namespace}/${name}`, creates: true, counted: 0 },
  ...{ workload: machine(name, { namespace }), slack: { quota: { vcpus: 0 }, budget: null } },
  untilMs: Date.now() + 1000,
});

/** Replicas of one shard, whose clocks are ahead of `time` by so many seconds. */
function openReplicas(given: readonly number[]) {
  const store = sharedStore();
  const [time, skews] = [{ now: NOW }, [...given]];
  const takenBack: string[] = [];
  const shards = skews.map((_, at) => {
    let number = 0;
    const tell = (id: string, entry: object | null): number => {
      if (entry === null) takenBack.push(id);
      number += 1;
      return number;
    };
    const clocks = { nowSeconds: () => time.now + (skews[at] ?? 0), elapsedSeconds: () => time.now };
    const shard = openShard({ store: store.open(), tell, ...clocks, onFailure: () => undefined });
    onTestFinished(() => shard.stop());
    return shard;
  });
  return { store, time, skews, takenBack, shards };
}

const ask = (shard: Shard | undefined, name: string, namespace: string): Promise<string> | undefined =>
  shard?.claim(claimOf(name, namespace), {}).catch(codeOf);

const SKEWS = [-3600, -80, 0, 80, 3600];

it.each(SKEWS.flatMap((skew) => [false, true].map((sees) => [skew, sees] as const)))(
  "a claim in a full namespace is refused if another's clock differs by %i s (it has seen the object: %s)",
  async (skew, sees) => {
    const { store, takenBack, shards } = openReplicas([0, skew, 0]);
    const [a, b, c] = shards;
    await ask(a, "one", "demo");
    await b?.read();
    await c?.read();
    if (sees) b?.see({ type: "workload", key: "VmTemplate/demo/one", workload: machine("one") });
    await ask(b, "other", "shop");
    await c?.read();
    expect(store.content()?.entries.map(({ id }) => id)).toContain("one");
    expect(await ask(c, "two", "demo")).toBe("again");
    expect(takenBack).toEqual([]);
  },
);

it("a claim in a full namespace is refused after another's clock was set forward", async () => {
  const { skews, takenBack, shards } = openReplicas([0, 0, 0]);
  const [a, b, c] = shards;
  await ask(a, "one", "demo");
  await b?.read();
  await c?.read();
  skews[1] = 3600;
  await ask(b, "other", "shop");
  await c?.read();
  expect(await ask(c, "two", "demo")).toBe("again");
  expect(takenBack).toEqual([]);
});

it("all replicas notice a loss after one whose clock is ahead noticed an earlier one", async () => {
  const { store, time, shards } = openReplicas([3600, 0, 0, 0]);
  const [ahead, a, b, c] = shards;
  await ask(a, "first", "shop");
  for (const shard of shards) await shard.read();
  store.remove();
  await ahead?.read();
  expect(await ask(ahead, "second", "shop")).toBe("ADM_LEDGER_LOST");
  for (const shard of shards) await shard.read();
  time.now += 60;
  expect(await ask(a, "one", "demo")).toBe("taken");
  // The replica that writes the shard again never heard of the entry.
  store.remove();
  await b?.read();
  expect(await ask(b, "third", "shop")).toBe("ADM_LEDGER_LOST");
  await c?.read();
  expect(await ask(c, "two", "demo")).toBe("ADM_LEDGER_LOST");
});
