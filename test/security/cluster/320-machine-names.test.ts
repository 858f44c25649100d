import { expect, it } from "vitest";
import { openCounted } from "../../support/composition/counted-tenant.ts";

const AZURE = { provider: "azure", schedulingLocation: "northeurope" };
const MACHINE = { ...AZURE, cpu: 8, memory: 16, vmName: "one" };
const GROUP = ["compute.azure.com", "virtualmachines"] as const;

it("320: a move gives a machine no other name as long as something of it runs", async () => {
  const { cluster, create, move, retry, collection, names, lock, ready } = await openCounted("tenant-320", "8");
  await retry(() => create("VmTemplate", "m", MACHINE));
  await ready("VmTemplate", "m");
  const machines = await collection(...GROUP);
  await lock(machines);
  const place = { schedulingLocation: "westeurope", vmName: "two" };
  await retry(() => expect(move("m", place)).rejects.toThrow("ADM_IMMUTABLE"));
  expect(await names(machines)).toEqual(["one"]);
  await cluster.close();
}, 120_000);

it("320: neither does a change while its status is cleared", async () => {
  const { cluster, create, change, clearStatus, retry, collection, names, lock, ready, says } = await openCounted(
    "status-320",
    "8",
  );
  await retry(() => create("VmTemplate", "m", MACHINE));
  await ready("VmTemplate", "m");
  const machines = await collection(...GROUP);
  await lock(machines);
  await clearStatus("VmTemplate", "m");
  // Whether admission or the controller refuses it: there is no second machine.
  const answer = await change("VmTemplate", "m", { spec: { vmName: "two" } }).then(String, String);
  await retry(() => change("VmTemplate", "m", { metadata: { annotations: { "krateo.io/paused": null } } }));
  if (!answer.includes("ADM_IMMUTABLE")) await says("VmTemplate", "m", "REL_MACHINE_NAME");
  else await ready("VmTemplate", "m");
  expect(await names(machines)).toEqual(["one"]);
  await cluster.close();
}, 120_000);

it("320: nor one that takes an orphaned release over", async () => {
  const orphan = { "krateo.io/deletion-policy": "orphan" };
  const { cluster, create, get, remove, retry, collection, names, lock, ready, says } = await openCounted(
    "orphan-320",
    "8",
  );
  await retry(() => create("VmTemplate", "m", MACHINE, { annotations: orphan }));
  await ready("VmTemplate", "m");
  const machines = await collection(...GROUP);
  await lock(machines);
  const release = (await get("VmTemplate", "m"))?.metadata.labels?.["krateo.io/release-name"];
  await remove("VmTemplate", "m");
  const labels = { "krateo.io/release-name": release };
  await retry(() => create("VmTemplate", "m", { ...MACHINE, vmName: "two" }, { labels, annotations: orphan }));
  await says("VmTemplate", "m", "REL_MACHINE_NAME");
  expect(await names(machines)).toEqual(["one"]);
  await cluster.close();
}, 120_000);
