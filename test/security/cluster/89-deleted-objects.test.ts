import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import type { Resource } from "../../../src/composition/types.ts";
import { ANNOTATION } from "../../../src/model/names.ts";
import { createTenant, type Tenant } from "../../support/composition/tenant.ts";

const LIMIT = { timeout: 60_000, interval: 200 };
const { kubeconfig } = inject("cluster");
const objects = (name = "") =>
  `/apis/composition.krateo.io/v0-1-0/namespaces/tenant-89/vmtemplates${name && `/${name}`}`;

let tenant: Tenant;

beforeAll(async () => {
  tenant = await createTenant(kubeconfig, "tenant-89");
});

afterAll(() => tenant.close());

const patch = (name: string, body: object): Promise<Resource> =>
  tenant.client.patch<Resource>(objects(name), "merge", body);

/** An object that is being deleted, which a finalizer of its user keeps. */
async function deleted(name: string): Promise<Resource> {
  const metadata = { name, finalizers: ["example.org/mine"] };
  const object = { apiVersion: "composition.krateo.io/v0-1-0", kind: "VmTemplate", metadata };
  const spec = { cpu: 2, memory: 4, provider: "gcp" };
  await vi.waitFor(() => tenant.client.create<Resource>(objects(), { ...object, spec }), LIMIT);
  await tenant.client.remove(objects(name));
  return vi.waitFor(async () => {
    const found = await tenant.client.get<Resource>(objects(name));
    expect(found?.metadata.deletionTimestamp).toBeDefined();
    expect(found?.metadata.finalizers).toEqual(["example.org/mine"]);
    return found as Resource;
  }, LIMIT);
}

describe("89: an object that is being deleted, on the API server", () => {
  it("keeps its spec and its decision, and can be changed otherwise", async () => {
    const { metadata } = await deleted("held");
    const decision = metadata.annotations?.[ANNOTATION.decision] ?? "";
    const size = { vcpus: 1e300, memoryGiB: 1e300 };
    const forged = decision.replace('"placement":{', `"placement":{"size":${JSON.stringify(size)},`);
    expect(forged).not.toBe(decision);
    for (const annotations of [
      { [ANNOTATION.decision]: forged },
      { [ANNOTATION.decision]: null },
      { [ANNOTATION.seal]: null },
    ])
      await expect(patch("held", { metadata: { annotations } })).rejects.toThrow(/ADM_D/);
    await expect(patch("held", { spec: { cpu: 100_000 } })).rejects.toThrow("ADM_DELETING");
    const annotations = { "example.org/note": "x", "krateo.io/paused": "true" };
    await expect(patch("held", { metadata: { annotations, labels: { team: "a" } } })).resolves.toMatchObject({
      metadata: { annotations: { ...annotations, [ANNOTATION.decision]: decision } },
    });
    await patch("held", { metadata: { finalizers: null } });
    await vi.waitFor(async () => expect(await tenant.client.get(objects("held"))).toBeNull(), LIMIT);
  });
});
