import { expect, it } from "vitest";
import { openCounted } from "../../support/composition/counted-tenant.ts";

const AZURE = { provider: "azure", schedulingLocation: "northeurope" };
const GCP = { provider: "gcp", schedulingLocation: "europe-west3" };

it("321: a machine that a move left counts until it is gone, however often its object changes after it", async () => {
  const { cluster, create, change, move, retry, collection, names, lock, ready, recorded } = await openCounted(
    "tenant-321",
    "8",
  );
  await retry(() => create("VmTemplate", "m", { ...AZURE, cpu: 4, memory: 16 }));
  await ready("VmTemplate", "m");
  const machines = await collection("compute.azure.com", "virtualmachines");
  await lock(machines);
  await retry(() => move("m", GCP));
  const made = await collection("compute.cnrm.cloud.google.com", "computeinstances");
  await retry(async () => expect(await names(made)).toHaveLength(1));
  await ready("VmTemplate", "m");
  const both = { "azure/northeurope": 4, "gcp/europe-west3": 4 };
  for (const n of ["v1", "v2", "v3"]) {
    const { resourceVersion } = (await retry(() => change("VmTemplate", "m", { spec: { tags: { n } } }))).metadata;
    expect(resourceVersion).toBeDefined();
    await retry(async () => {
      const [one] = (await cluster.tenant.client.get<{ items: object[] }>(made))?.items ?? [];
      expect(JSON.stringify(one)).toContain(`"n":"${n}"`);
    });
    await ready("VmTemplate", "m");
  }
  // Sizes are let go, if at all, when the object is looked at again.
  await new Promise((resolve) => setTimeout(resolve, 8000));
  expect(await names(machines)).toHaveLength(1);
  expect(await recorded()).toEqual(both);
  await expect(create("VmTemplate", "more", { ...AZURE, cpu: 4, memory: 8 })).rejects.toThrow("POL_QUOTA");
  await cluster.close();
}, 180_000);
