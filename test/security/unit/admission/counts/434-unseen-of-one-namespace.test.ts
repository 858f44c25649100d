// 434: one namespace could use up the 10,000 objects of all that are kept while the webhook cannot watch, and nobody else created anything.
import { describe, expect, it } from "vitest";
import { createReservations } from "../../../../../src/external-data/usage/reservations.ts";
import type { ExistingWorkload } from "../../../../../src/model/cluster-data.ts";

const NOW = 1_800_000_000;

const MACHINE: ExistingWorkload = {
  ...{ kind: "VmTemplate", namespace: "", name: "", place: "gcp/europe-west1", vmName: null },
  ...{ vcpus: 2, memoryGiB: 4, pricePerHour: 1, start: null, end: null },
};

/** A webhook that does not see these many confirmed objects of each namespace. */
function unseen(counts: Record<string, number>) {
  const reservations = createReservations();
  reservations.seen(NOW - 60);
  for (const [namespace, count] of Object.entries(counts))
    for (let at = 0; at < count; at += 1) {
      const name = `web-${String(at)}`;
      const workload: ExistingWorkload = { ...MACHINE, namespace, name };
      reservations.reserve({ key: `VmTemplate/${namespace}/${name}`, workload, until: NOW - 1 });
    }
  return (namespace: string): number | null => reservations.behind(namespace, NOW);
}

describe("434: objects that a webhook without a watch has not seen", () => {
  it("hold up their own namespace once they are 1,000", () => {
    const behind = unseen({ hostile: 1000, calm: 10 });
    expect([behind("hostile"), behind("calm"), behind("new")]).toEqual([1000, null, null]);
    expect(unseen({ hostile: 999 })("hostile")).toBeNull();
  });

  it("hold up all once they are 10,000", () => {
    const behind = unseen(Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`team-${String(at)}`, 950])));
    expect(behind("new")).toBe(10_000);
  });
});
