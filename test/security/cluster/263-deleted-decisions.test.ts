import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import type { Resource } from "../../../src/composition/types.ts";
import { conditionsOf } from "../../../src/model/kubernetes.ts";
import { vm } from "../../support/admission.ts";
import { leaveOut } from "../../support/composition/leave-out.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";

const NAMESPACE = "deleted-263";
const VMS = `/apis/composition.krateo.io/v0-1-0/namespaces/${NAMESPACE}/vmtemplates`;
const PAUSED = "krateo.io/paused";
const LIMIT = { timeout: 60_000, interval: 200 };
let world: TenantCluster;

beforeAll(async () => {
  world = await openTenant(inject("cluster").kubeconfig, NAMESPACE, {});
});

afterAll(() => world.close());

const create = (annotations: Record<string, string>, spec: object, query = ""): Promise<Resource> => {
  const metadata = { name: "web", namespace: NAMESPACE, annotations };
  return world.tenant.client.create<Resource>(`${VMS}${query}`, vm({ ...spec }, metadata));
};
const read = () => world.tenant.client.get<Resource>(`${VMS}/web`);
const idOf = ({ metadata }: Resource): string => metadata.annotations?.["landfall.dev/seal"]?.split(".")[4] ?? "";

describe("263: the decision of an object that was deleted while it was paused", () => {
  it("is bound to it, and no copy is installed with it", async () => {
    const first = await vi.waitFor(() => create({ [PAUSED]: "true" }, { cpu: 2, memory: 4, provider: "gcp" }), LIMIT);
    const binding = `/api/v1/namespaces/landfall-system/secrets/landfall.decision.${idOf(first)}`;
    await vi.waitFor(async () => {
      const annotations = (await world.admin.get<Resource>(binding))?.metadata.annotations;
      expect(annotations).toMatchObject({ "landfall.dev/bound-uid": first.metadata.uid });
    }, LIMIT);
    await world.tenant.client.remove(`${VMS}/web`);
    await vi.waitFor(async () => expect(await read()).toBeNull(), LIMIT);

    const { [PAUSED]: _, ...annotations } = first.metadata.annotations ?? {};
    const copy = await vi.waitFor(async () => {
      await leaveOut(world.admin, NAMESPACE);
      expect(idOf(await create(annotations, first.spec ?? {}, "?dryRun=All"))).toBe(idOf(first));
      return create(annotations, first.spec ?? {});
    }, LIMIT);
    expect(idOf(copy)).toBe(idOf(first));
    const installed = await vi.waitFor(async () => {
      const object = await read();
      const synced = object === null ? undefined : conditionsOf(object).find(({ type }) => type === "Synced");
      if (object?.status?.["managed"] === undefined) expect(synced?.message).toContain("REL_REPLAYED");
      return object;
    }, LIMIT);
    if (installed?.status?.["managed"] !== undefined) expect(idOf(installed)).not.toBe(idOf(first));
    // The webhooks are back and decide it like a new object.
    await vi.waitFor(async () => expect(idOf((await read()) as Resource)).not.toBe(idOf(first)), LIMIT);
  });
});
