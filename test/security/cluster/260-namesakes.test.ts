import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { apiPath, below } from "../../../src/cluster/api-path.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { messageOf } from "../../../src/errors.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { vm } from "../../support/admission.ts";
import { createTenant, type Tenant } from "../../support/composition/tenant.ts";

const NAMESPACE = "namesakes";
const NAMES = Array.from({ length: 8 }, (_, index) => `p${String(index)}`);
const VMS = apiPath`/apis/composition.krateo.io/v0-1-0/namespaces/${NAMESPACE}/vmtemplates`;
/** The webhook's own denial, or the reservation of a name that is taken. */
const EXISTS = /ADM_(?:NAME_)?EXISTS/;
let admin: KubeClient;
let tenant: Tenant;

beforeAll(async () => {
  const { kubeconfig } = inject("cluster");
  admin = createClient(await loadKubeconfig(kubeconfig, process.env));
  tenant = await createTenant(kubeconfig, NAMESPACE);
  const metadata = { annotations: { "landfall.dev/quota-vcpus": "32" } };
  await admin.patch(apiPath`/api/v1/namespaces/${NAMESPACE}`, "merge", { metadata });
});

afterAll(async () => {
  await tenant.close();
  await admin.close();
});

/** What the API server said; empty if it stored the object. Nobody installs a paused one, so its deletion ends at once. */
function create(name: string, cpu: number): Promise<string> {
  const annotations = { "krateo.io/paused": "true" };
  const spec = { cpu, memory: 4, provider: "gcp", schedulingLocation: "europe-west1" };
  return tenant.client.create(VMS, vm(spec, { name, namespace: NAMESPACE, annotations })).then(() => "", messageOf);
}

const sizes = async (): Promise<unknown[]> => {
  const list = await tenant.client.get<{ items: Resource[] }>(VMS);
  return (list?.items ?? []).map(({ spec }) => spec?.["cpu"]);
};
const removeAll = () => Promise.all(NAMES.map((name) => tenant.client.remove(below(VMS, name)).catch(() => null)));

/** Deletes the objects while larger ones of their names are created. Whether some of these met names that still existed. */
async function replaceAll(wait: number): Promise<boolean> {
  for (const name of NAMES) await expect.poll(() => create(name, 1), { timeout: 30_000, interval: 500 }).toBe("");
  // The webhook has seen the last of them once it refuses its name.
  await expect.poll(() => create("p7", 1), { timeout: 10_000 }).toMatch(EXISTS);
  const asked = Promise.all(NAMES.map((name) => create(name, 16)));
  await sleep(wait);
  await removeAll();
  const answers = await asked;
  expect((await sizes()).filter((cpu) => cpu === 16).length).toBeLessThanOrEqual(2);
  await removeAll();
  await expect.poll(sizes, { timeout: 30_000 }).toEqual([]);
  return answers.some((text) => EXISTS.test(text));
}

describe("260: creations under names that are deleted while these are underway", () => {
  it.each([15, 30, 80])(
    "store no more than the quota allows, %d ms before the deletion",
    async (wait) => {
      // On a busy machine all are asked after the deletion: such an attempt shows nothing.
      let isTried = false;
      for (let attempt = 0; attempt < 5 && !isTried; attempt++) isTried = await replaceAll(wait);
      expect(isTried).toBe(true);
    },
    120_000,
  );
});
