// Replicas whose clocks differ by more than they should: none takes an entry out that still counts for the others.
import { expect, it, onTestFinished } from "vitest";
import type { Claim } from "../../../../src/external-data/ledger/ledger-entry.ts";
import { openShard } from "../../../../src/external-data/ledger/open-shard.ts";
import { NOW } from "../../../support/admission.ts";
import { codeOf, machine } from "../../../support/ledger/entries.ts";
import { sharedStore } from "../../../support/ledger/shared-store.ts";

const claimOf = (name: string, namespace: string): Claim => ({
  ...{ id: name, key: `VmTemplate/${namespace}/${name}`, creates: true, counted: 0 },
  ...{ workload: machine(name, { namespace }), slack: { quota: { vcpus: 0 }, budget: null } },
  untilMs: Date.now() + 1000,
});

it.each([-3600, -80, 0, 80, 3600])(
  "a claim in a full namespace is refused if another's clock differs by %i s",
  async (skew) => {
    const store = sharedStore();
    const taken: string[] = [];
    const open = (name: string, now: number) => {
      let number = 0;
      const tell = (id: string, entry: object | null): number => {
        if (entry === null) taken.push(`${name} lost ${id}`);
        number += 1;
        return number;
      };
      const shard = openShard({ store: store.open(), tell, nowSeconds: () => now, onFailure: () => undefined });
      onTestFinished(() => shard.stop());
      return shard;
    };
    const [a, b, c] = [open("a", NOW), open("b", NOW + skew), open("c", NOW)];
    await a.claim(claimOf("one", "demo"), {});
    await c.read();
    await b.claim(claimOf("other", "shop"), {}).catch(codeOf);
    await c.read();
    expect(store.content()?.entries.map(({ id }) => id)).toContain("one");
    expect(await c.claim(claimOf("two", "demo"), {}).catch(codeOf)).toBe("again");
    expect(taken).toEqual([]);
  },
);
