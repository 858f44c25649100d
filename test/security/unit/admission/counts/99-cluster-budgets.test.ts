import { expect, it } from "vitest";
import { readWorkload } from "../../../../../src/model/read-workload.ts";
import { openStore } from "../../../../support/admission-store.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";
import { withBudgets } from "../../../../support/with-budgets.ts";

const policy = await loadPolicy();

const cluster = (max: number) => ({
  apiVersion: "composition.krateo.io/v0-1-0",
  kind: "KaasCluster",
  metadata: { name: "pools", namespace: "demo" },
  spec: {
    ...{ provider: "azure", schedulingLocation: "italynorth" },
    nodePools: [{ name: "system", min: 1, max, cpu: 4, memory: 16 }],
  },
});

/** A cluster in front of a webhook whose places have a budget of 24 vCPU. */
function create(max: number) {
  const store = openStore(withBudgets(policy, { vcpus: 24 }));
  const { response, next } = store.mutate(cluster(max));
  return { allowed: response.allowed, message: response.status?.message ?? "", next };
}

it("99: a cluster is checked against the budget of its place as large as it counts: at its largest", () => {
  const fits = create(6);
  expect(fits.allowed).toBe(true);
  expect(readWorkload("KaasCluster", fits.next)).toMatchObject({ vcpus: 24 });
  // Five nodes are expected of one to nine, and nine count.
  expect(create(9).message).toContain("PLACEMENT_BUDGET");
});
