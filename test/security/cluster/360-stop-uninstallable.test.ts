import { expect, it, onTestFinished, vi } from "vitest";
import { below } from "../../../src/cluster/api-path.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { openCounted } from "../../support/composition/counted-tenant.ts";

const GCP = { provider: "gcp", schedulingLocation: "europe-west3", cpu: 2, memory: 4 };

it("360: a change that cannot be installed does not keep the machine of a run that is over from being stopped", async () => {
  const t = await openCounted("stops-360", "8");
  onTestFinished(() => t.cluster.close());
  const { client } = t.cluster.tenant;
  const disks = await t.collection("compute.cnrm.cloud.google.com", "computedisks");
  const machines = await t.collection("compute.cnrm.cloud.google.com", "computeinstances");
  await t.retry(() => t.create("VmTemplate", "m", { ...GCP, duration: "45s", maxLifetime: "45s", whenDone: "stop" }));
  await t.ready("VmTemplate", "m");
  // The name of the disk that the change would make.
  await client.create(disks, {
    ...{ apiVersion: "compute.cnrm.cloud.google.com/v1beta1", kind: "ComputeDisk", metadata: { name: "m-data" } },
    spec: { location: "europe-west3-a", size: 1 },
  });
  await t.retry(() => t.change("VmTemplate", "m", { spec: { disks: [{ name: "data", sizeGiB: 10 }] } }));
  await t.says("VmTemplate", "m", "REL_OBJECT_TAKEN");
  await vi.waitFor(
    async () => {
      const machine = await client.get<Resource>(below(machines, "m"));
      expect(machine?.spec?.["desiredStatus"]).toBe("TERMINATED");
    },
    { timeout: 90_000, interval: 500 },
  );
  expect(await t.names(disks)).toEqual(["m-data"]);
}, 180_000);
