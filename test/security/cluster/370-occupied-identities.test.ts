import { expect, it, onTestFinished, vi } from "vitest";
import { below } from "../../../src/cluster/api-path.ts";
import { openCounted } from "../../support/composition/counted-tenant.ts";

const NAMESPACE = "occupied-370";
const GROUP = "rbac.authorization.k8s.io";
const BINDINGS = `/apis/${GROUP}/v1/namespaces/${NAMESPACE}/rolebindings`;
const BINDING = `${BINDINGS}/landfall-charts`;
const SPEC = { provider: "gcp", schedulingLocation: "europe-west3", cpu: 2, memory: 4 };

it("370: no RoleBinding of a namespace's administrator takes the controller's right to end what runs there", async () => {
  const t = await openCounted(NAMESPACE, "8");
  onTestFinished(() => t.cluster.close());
  const { client } = t.cluster.tenant;
  const machines = await t.collection("compute.cnrm.cloud.google.com", "computeinstances");
  const occupy = () =>
    client.create(BINDINGS, {
      ...{ apiVersion: `${GROUP}/v1`, kind: "RoleBinding" },
      metadata: { name: "landfall-charts", finalizers: ["test.example/held"] },
      roleRef: { apiGroup: GROUP, kind: "Role", name: "owner" },
      subjects: [{ apiGroup: GROUP, kind: "User", name: "somebody" }],
    });
  await expect(occupy()).rejects.toThrow("REL_IDENTITY_GUARDED");
  await t.retry(() =>
    t.create("VmTemplate", "m", { ...SPEC, duration: "25s", maxLifetime: "25s", whenDone: "delete" }),
  );
  await t.ready("VmTemplate", "m");
  // Its finalizer keeps it.
  await client.remove(BINDING);
  const free = { metadata: { finalizers: null } };
  await expect(client.patch(BINDING, "merge", free)).rejects.toThrow("REL_IDENTITY_GUARDED");
  await expect(occupy()).rejects.toThrow("REL_IDENTITY_GUARDED");
  await vi.waitFor(async () => expect(await client.get(below(machines, "m"))).toBeNull(), {
    timeout: 60_000,
    interval: 500,
  });
  // It is let go with the last object, and made anew for the next one.
  await t.remove("VmTemplate", "m");
  await t.retry(async () => expect(await client.get(BINDING)).toBeNull());
  await t.retry(() => t.create("VmTemplate", "n", SPEC));
  await t.ready("VmTemplate", "n");
  await t.remove("VmTemplate", "n");
}, 180_000);
