import { expect, it } from "vitest";
import { openCounted } from "../../support/composition/counted-tenant.ts";

const GCP = { provider: "gcp", schedulingLocation: "europe-west3" };

it("322: what is recorded as installed stays installed while its status is cleared", async () => {
  const { cluster, create, change, clearStatus, retry, ready } = await openCounted("tenant-322", "14");
  const pools = (cpu: number) => [{ name: "sys", count: 3, cpu, memory: 4 * cpu }];
  await retry(() => create("KaasCluster", "c", { ...GCP, nodePools: pools(4) }));
  await ready("KaasCluster", "c");
  await clearStatus("KaasCluster", "c");
  await retry(() =>
    expect(change("KaasCluster", "c", { spec: { nodePools: pools(1), poolInstanceTypes: null } })).rejects.toThrow(
      "ADM_POOL_FIXED",
    ),
  );
  const elsewhere = { schedulingLocation: "europe-west1", zones: null };
  await retry(() => expect(change("KaasCluster", "c", { spec: elsewhere })).rejects.toThrow("ADM_MOVE"));
  await cluster.close();
}, 120_000);
