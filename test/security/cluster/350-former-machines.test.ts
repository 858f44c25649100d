import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { type ApiPath, below } from "../../../src/cluster/api-path.ts";
import { openCounted } from "../../support/composition/counted-tenant.ts";

const AZURE = { provider: "azure", schedulingLocation: "northeurope" };
const GCP = { provider: "gcp", schedulingLocation: "europe-west3" };
/** What a machine on Azure consists of. */
const LEFT = [
  ["compute.azure.com", "virtualmachines"],
  ["network.azure.com", "networkinterfaces"],
  ["network.azure.com", "networksecuritygroups"],
  ["network.azure.com", "virtualnetworks"],
  ["network.azure.com", "virtualnetworkssubnets"],
  ["resources.azure.com", "resourcegroups"],
] as const;
const UNMARKED = {
  annotations: { "meta.helm.sh/release-name": null, "meta.helm.sh/release-namespace": null },
  labels: { "app.kubernetes.io/managed-by": null },
};

it("350: a machine that a move left counts until it is gone when its object is deleted, whatever its marks say", async () => {
  const t = await openCounted("former-350", "8");
  onTestFinished(() => t.cluster.close());
  await t.retry(() => t.create("VmTemplate", "m", { ...AZURE, cpu: 4, memory: 16 }));
  await t.ready("VmTemplate", "m");
  const machines = await t.collection("compute.azure.com", "virtualmachines");
  await t.lock(machines);
  await t.retry(() => t.move("m", GCP));
  const made = await t.collection("compute.cnrm.cloud.google.com", "computeinstances");
  await t.retry(async () => expect(await t.names(made)).toHaveLength(1));
  await t.ready("VmTemplate", "m");
  const [left = ""] = await t.names(machines);
  const all: ApiPath[] = [];
  for (const [group, plural] of LEFT) {
    const of = await t.collection(group, plural);
    all.push(...(await t.names(of)).map((name) => below(of, name)));
  }
  const done = new AbortController();
  const unmarking = (async () => {
    while (!done.signal.aborted) {
      for (const path of all)
        await t.cluster.tenant.client.patch(path, "merge", { metadata: UNMARKED }).catch(() => undefined);
      await sleep(100);
    }
  })();
  await t.cluster.tenant.client.remove(t.path("VmTemplate", "m"));
  await t.retry(async () => expect(await t.names(made)).toEqual([]));
  await sleep(8000);
  done.abort();
  await unmarking;
  expect(await t.names(machines)).toEqual([left]);
  expect(await t.recorded()).toMatchObject({ "azure/northeurope": 4 });
  await expect(t.create("VmTemplate", "more", { ...AZURE, cpu: 8, memory: 16 })).rejects.toThrow("POL_QUOTA");
}, 180_000);

it("351: a take-over gives a provider no second machine of another name beside one that is still being deleted", async () => {
  const annotations = { "krateo.io/deletion-policy": "orphan" };
  const t = await openCounted("former-351", "16");
  onTestFinished(() => t.cluster.close());
  await t.retry(() => t.create("VmTemplate", "m", { ...GCP, cpu: 8, memory: 32, vmName: "one" }, { annotations }));
  await t.ready("VmTemplate", "m");
  const made = await t.collection("compute.cnrm.cloud.google.com", "computeinstances");
  await t.lock(made);
  await t.retry(() => t.move("m", { ...AZURE, tags: { simulate: "bad-image" } }));
  await t.says("VmTemplate", "m", "mageNotFound");
  const release = (await t.get("VmTemplate", "m"))?.metadata.labels?.["krateo.io/release-name"] ?? "";
  await t.remove("VmTemplate", "m");
  const labels = { "krateo.io/release-name": release };
  await t.retry(() =>
    t.create("VmTemplate", "m", { ...GCP, cpu: 8, memory: 32, vmName: "two" }, { labels, annotations }),
  );
  await t.says("VmTemplate", "m", "REL_MACHINE_NAME");
  expect(await t.names(made)).toEqual(["one"]);
}, 180_000);
