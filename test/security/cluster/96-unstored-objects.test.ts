import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { apiPath, below } from "../../../src/cluster/api-path.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { messageOf } from "../../../src/errors.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { vm } from "../../support/admission.ts";

const { kubeconfig } = inject("cluster");
const NAMESPACE = "unstored";
const VMS = apiPath`/apis/composition.krateo.io/v0-1-0/namespaces/${NAMESPACE}/vmtemplates`;
let client: KubeClient;

beforeAll(async () => {
  client = createClient(await loadKubeconfig(kubeconfig, process.env));
  const metadata = { name: NAMESPACE };
  await client.create(apiPath`/api/v1/namespaces`, { apiVersion: "v1", kind: "Namespace", metadata });
  const quotas = apiPath`/api/v1/namespaces/${NAMESPACE}/resourcequotas`;
  const hard = { "count/vmtemplates.composition.krateo.io": "0" };
  const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "none" }, spec: { hard } };
  await client.create<Resource>(quotas, quota);
  // No controller counts here.
  const used = { "count/vmtemplates.composition.krateo.io": "0" };
  await client.patch(below(quotas, "none", "status"), "merge", { status: { hard, used } });
});

afterAll(async () => {
  await client.close();
});

/** What the API server said; empty if it stored the object. */
const create = (name: string, query: { dryRun?: "All" } = {}): Promise<string> =>
  client.create(VMS, vm({ cpu: 2, memory: 4 }, { name, namespace: NAMESPACE }), query).then(() => "", messageOf);

describe("96: creations that a ResourceQuota refuses after both webhooks", () => {
  it("stop to take places once five were given up", async () => {
    await expect.poll(() => create("probe", { dryRun: "All" }), { timeout: 10_000 }).toContain("exceeded quota");
    for (let index = 0; index < 6; index += 1) expect(await create(`a${String(index)}`)).toContain("exceeded quota");
    // The last of them counts for 10 s, and until the cluster was seen after that.
    await expect.poll(() => create("b"), { timeout: 60_000, interval: 2000 }).toContain("ADM_UNSTORED");
    expect(await create("b", { dryRun: "All" })).not.toContain("ADM_UNSTORED");
  }, 120_000);
});
