import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { messageOf } from "../../../src/errors.ts";
import { vm } from "../../support/admission.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";

const NAMESPACE = "doubtful-261";
const VMS = `/apis/composition.krateo.io/v0-1-0/namespaces/${NAMESPACE}/vmtemplates`;
let world: TenantCluster;

beforeAll(async () => {
  world = await openTenant(inject("cluster").kubeconfig, NAMESPACE, { "landfall.dev/quota-vcpus": "1000" });
});

afterAll(() => world.close());

/** What the API server said; empty if it stored the object. No controller installs a paused one. */
function create(name: string, cpu: number): Promise<string> {
  const annotations = { "krateo.io/paused": "true" };
  const spec = { cpu, memory: 4, provider: "gcp", schedulingLocation: "europe-west1" };
  return world.tenant.client
    .create(VMS, vm(spec, { name, namespace: NAMESPACE, annotations }))
    .then(() => "", messageOf);
}

/** The larger of two creations of one name, which the webhook admitted and the API server refused. */
async function isPhantom(name: string): Promise<boolean> {
  const [, larger] = await Promise.all([create(name, 1), create(name, 16)]);
  return larger.includes("already exists") && !larger.includes("[ADM_");
}

describe("261: creations of one name at the same time, of which the API server stores one", () => {
  it("stop to take places once five were given up", async () => {
    await expect.poll(() => create("first", 1), { timeout: 30_000, interval: 500 }).toBe("");
    let phantoms = 0;
    for (let round = 0; round < 40 && phantoms < 6; round += 1)
      phantoms += Number(await isPhantom(`web-${String(round)}`));
    expect(phantoms).toBe(6);
    // Each counts for 20 s.
    let next = 0;
    const createNext = (): Promise<string> => create(`next-${String((next += 1))}`, 1);
    await expect.poll(createNext, { timeout: 90_000, interval: 2000 }).toContain("ADM_UNSTORED");
  }, 180_000);
});
