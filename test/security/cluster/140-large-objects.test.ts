import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { apiPath } from "../../../src/cluster/api-path.ts";
import { pagesOf } from "../../../src/cluster/list-objects.ts";
import { messageOf } from "../../../src/errors.ts";
import { createTenant, type Tenant } from "../../support/composition/tenant.ts";

const API_VERSION = "composition.krateo.io/v0-2-0";
const COUNT = 12;
const { kubeconfig } = inject("cluster");
const size = { cpu: 1, memory: 1 };

let [large, other]: Tenant[] = [];
beforeAll(async () => {
  large = await createTenant(kubeconfig, "large-140");
  other = await createTenant(kubeconfig, "other-140");
});
afterAll(async () => {
  await large?.close();
  await other?.close();
});

/** About 700 kB, with the field managers that the API server adds. No schema limits labels. */
const labels = Object.fromEntries(
  Array.from({ length: 6000 }, (_, at) => [`tenant.example/label-${String(at)}`, "x".repeat(55)]),
);

async function create(tenant: Tenant | undefined, name: string, spec: object, more = {}): Promise<string> {
  const { namespace = "", client } = tenant ?? {};
  const metadata = { name, annotations: { "krateo.io/paused": "true" }, ...more };
  const body = { apiVersion: API_VERSION, kind: "VmTemplate", metadata, spec: { ...size, ...spec } };
  const path = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${namespace}/vmtemplates`;
  return client === undefined ? "" : client.create(path, body).then(() => "created", messageOf);
}

describe("140: large objects on the API server", () => {
  it("have no large spec.global", async () => {
    expect(await create(large, "global", { global: { x: "y".repeat(1_400_000) } })).toContain("ADM_GLOBAL_LONG");
  });

  it("are read in pages of a few, each once, and another tenant's object is decided as before", async () => {
    for (let at = 0; at < COUNT; at += 1)
      expect(await create(large, `large-${String(at)}`, {}, { labels })).toBe("created");
    const client = createClient(await loadKubeconfig(kubeconfig, {}));
    const [pages, names]: [number[], string[]] = [[], []];
    for await (const { items } of pagesOf(client, apiPath`/apis/composition.krateo.io/v0-2-0/vmtemplates`)) {
      pages.push(items.filter(({ metadata }) => metadata.namespace === "large-140").length);
      names.push(...items.map(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`));
    }
    await client.close();
    expect(Math.max(...pages)).toBeLessThan(7);
    expect(names.filter((name) => name.startsWith("large-140/large-"))).toHaveLength(COUNT);
    expect(new Set(names).size).toBe(names.length);
    expect(await create(other, "small", {})).toBe("created");
  }, 240_000);
});
