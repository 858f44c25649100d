import { expect, it, onTestFinished } from "vitest";
import { openShard } from "../../../../../src/external-data/ledger/open-shard.ts";
import type { ExistingWorkload } from "../../../../../src/model/cluster-data.ts";
import { NOW } from "../../../../support/admission.ts";
import { codeOf, machine } from "../../../../support/ledger/entries.ts";
import { sharedStore } from "../../../../support/ledger/shared-store.ts";

/** How many of a tenant's 1,000 claims were written before a claim of another namespace, which came after them. */
async function writtenBefore(): Promise<{ before: number; all: string[] }> {
  let number = 0;
  const store = sharedStore();
  const options = { store: store.open(), tell: () => (number += 1), nowSeconds: () => NOW };
  const shard = openShard({ ...options, onFailure: () => undefined });
  onTestFinished(() => {
    shard.stop();
  });
  const answered: string[] = [];
  const claim = (workload: ExistingWorkload): Promise<void> =>
    shard
      .claim(
        {
          ...{ id: `${workload.namespace}-${workload.name}`, key: `VmTemplate/${workload.namespace}/${workload.name}` },
          ...{ creates: true, workload, counted: 1e9, slack: { quota: { vcpus: 1e6 }, budget: null } },
          untilMs: Date.now() + 30_000,
        },
        shard,
      )
      .catch(codeOf)
      .then((answer) => void answered.push(`${workload.namespace} ${answer}`));
  const flood = Array.from({ length: 1000 }, (_, index) => machine(`vm-${String(index)}`, { namespace: "loud" }));
  await Promise.all([...flood, machine("vm", { namespace: "quiet" })].map(claim));
  return { before: answered.indexOf("quiet taken"), all: answered };
}

it("215: a claim of one namespace does not wait for hundreds of another one's", async () => {
  const { before, all } = await writtenBefore();
  expect(all).toHaveLength(1001);
  expect(before).toBeGreaterThanOrEqual(0);
  // The write that was underway when it came, and its own.
  expect(before).toBeLessThanOrEqual(128);
});
