import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { messageOf } from "../../../src/errors.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { vm } from "../../support/admission.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";

const NAMESPACE = "stale-262";
const VMS = `/apis/composition.krateo.io/v0-1-0/namespaces/${NAMESPACE}/vmtemplates`;
let world: TenantCluster;

beforeAll(async () => {
  world = await openTenant(inject("cluster").kubeconfig, NAMESPACE, { "landfall.dev/quota-vcpus": "32" });
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

const patch = (change: object): Promise<Resource> =>
  world.tenant.client.patch<Resource>(`${VMS}/small`, "merge", change);
const touch = (label: string): Promise<Resource> => patch({ metadata: { labels: { "krateo.io/touch": label } } });

describe("262: updates of an earlier version, which the API server refuses", () => {
  it("take no place of other objects", async () => {
    await expect.poll(() => create("small", 1), { timeout: 30_000, interval: 500 }).toBe("");
    const { resourceVersion } = (await touch("0")).metadata;
    const answers: [string, string][] = [];
    for (let round = 1; round <= 4; round += 1) {
      await touch(String(round));
      const stale = await patch({ metadata: { resourceVersion }, spec: { cpu: 30 } }).then(() => "", messageOf);
      const other = await create(`other-${String(round)}`, 4);
      answers.push([/ADM_\w+/.exec(stale)?.[0] ?? stale, other]);
    }
    expect(answers).toEqual(Array.from({ length: 4 }, () => ["ADM_CONFLICT", ""]));
    // The quota holds, and the version that is stored can be changed.
    expect(await create("large", 16)).toContain("POL_QUOTA");
    expect((await patch({ spec: { cpu: 2 } })).spec).toMatchObject({ cpu: 2 });
  });
});
