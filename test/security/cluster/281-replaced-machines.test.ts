import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { openCounted } from "../../support/composition/counted-tenant.ts";

const LIMIT = { timeout: 30_000, interval: 200 };
const AZURE = { provider: "azure", schedulingLocation: "northeurope" };

type Tenant = Awaited<ReturnType<typeof openCounted>>;

/** The controller changes the object as well: a change of an earlier version is refused for that (ADM_CONFLICT), and tried again. */
const denied = (ask: () => Promise<unknown>): Promise<void> =>
  vi.waitFor(() => expect(ask()).rejects.toThrow("POL_QUOTA"), LIMIT);

let pools: Tenant;
let moves: Tenant;

beforeAll(async () => {
  pools = await openCounted("tenant-281", "30");
  moves = await openCounted("tenant-282", "18");
});

afterAll(async () => {
  await pools.cluster.close();
  await moves.cluster.close();
});

it("281: pools that others replace count until their provider has deleted them", async () => {
  const { create, change, collection, names, lock, ready } = pools;
  const sys = { name: "sys", count: 1, cpu: 2, memory: 8 };
  const spec = (...workers: string[]) => ({
    nodePools: [sys, ...workers.map((name) => ({ name, count: 3, cpu: 4, memory: 16 }))],
    poolInstanceTypes: null,
  });
  const rename = (from: string, to: string) =>
    change("KaasCluster", "c", {
      metadata: { annotations: { "landfall.dev/rename-pool": `${from}=${to}` } },
      spec: spec(to),
    });
  const made = await collection("containerservice.azure.com", "managedclustersagentpools");
  const { nodePools } = spec("w1");
  await vi.waitFor(() => create("KaasCluster", "c", { ...AZURE, nodePools }), LIMIT);
  await ready("KaasCluster", "c");
  await lock(made);
  // The quota has room for both: 26 of 30.
  await vi.waitFor(() => rename("w1", "w2"), LIMIT);
  await vi.waitFor(async () => expect((await names(made)).join()).toContain("w2"), LIMIT);
  await vi.waitFor(async () => {
    await expect(create("VmTemplate", "more", { ...AZURE, cpu: 8, memory: 16 })).rejects.toThrow("26 of 30 vCPU");
  }, LIMIT);
  await lock(made);
  // No third set of nodes, neither in place of the second one nor besides.
  await denied(() => rename("w2", "w3"));
  await denied(() => change("KaasCluster", "c", { spec: spec("w2", "w3") }));
  // To take the change back adds nothing, and neither does a smaller cluster.
  await vi.waitFor(() => rename("w2", "w1"), LIMIT);
  await vi.waitFor(() => change("KaasCluster", "c", { spec: spec() }), LIMIT);
}, 40_000);

it("282: machines that moves leave at several providers count together", async () => {
  const { create, move, collection, names, lock, ready } = moves;
  await vi.waitFor(() => create("VmTemplate", "m", { ...AZURE, cpu: 8, memory: 16 }), LIMIT);
  await ready("VmTemplate", "m");
  await lock(await collection("compute.azure.com", "virtualmachines"));
  // The quota has room for both: 16 of 18.
  await vi.waitFor(() => move("m", { provider: "gcp", schedulingLocation: "europe-west3" }), LIMIT);
  const made = await collection("compute.cnrm.cloud.google.com", "computeinstances");
  await vi.waitFor(async () => expect(await names(made)).toHaveLength(1), LIMIT);
  await vi.waitFor(async () => {
    await expect(create("VmTemplate", "more", { ...AZURE, cpu: 4, memory: 8 })).rejects.toThrow("16 of 18 vCPU");
  }, LIMIT);
  await denied(() => move("m", { provider: "aws", schedulingLocation: "eu-central-1" }));
  await vi.waitFor(() => move("m", AZURE), LIMIT);
}, 40_000);
