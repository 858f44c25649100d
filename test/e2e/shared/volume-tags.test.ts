import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { apiPath, type ApiPath } from "../../../src/cluster/api-path.ts";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { listRevisions } from "../../../src/composition/helm/release-storage.ts";
import { valueAt } from "../../../src/composition/managed/read-awaits.ts";
import type { Resource } from "../../../src/composition/types.ts";
import { COMPOSITION_LABEL } from "../../../src/model/names.ts";

const { kubeconfig } = inject("cluster");
const NAMESPACE = "volume-tags";
const objects = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/vmtemplates`;
const instances = apiPath`/apis/ec2.services.k8s.aws/v1alpha1/namespaces/${NAMESPACE}/instances`;
const templates = apiPath`/apis/ec2.services.k8s.aws/v1alpha1/namespaces/${NAMESPACE}/launchtemplates`;
const machines = apiPath`/apis/compute.cnrm.cloud.google.com/v1beta1/namespaces/${NAMESPACE}/computeinstances`;

let client: KubeClient;

const list = async (path: ApiPath): Promise<Resource[]> => (await client.get<{ items: Resource[] }>(path))?.items ?? [];
const labelsOf = (one: Resource | undefined): unknown => valueAt(one, "spec.bootDisk.initializeParams.labels");

/** The Ready condition's reason of an object, and for which generation of it. */
async function readyOf(provider: string): Promise<unknown> {
  const path = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/vmtemplates/${provider}`;
  const conditions = (await client.get<Resource>(path))?.status?.["conditions"];
  return Array.isArray(conditions)
    ? (conditions as { type: string }[]).find(({ type }) => type === "Ready")
    : undefined;
}

/** How many revisions the release of this provider's machine has. */
async function revisionsOf(provider: string): Promise<number> {
  const path = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/vmtemplates/${provider}`;
  const name = (await client.get<Resource>(path))?.metadata.labels?.[COMPOSITION_LABEL.releaseName] ?? "";
  return (await listRevisions(client, NAMESPACE, name)).length;
}

const available = (provider: string): Promise<void> =>
  vi.waitFor(async () => expect(await readyOf(provider)).toMatchObject({ status: "True", reason: "Available" }), {
    ...{ timeout: 60_000, interval: 200 },
  });

const tag = (provider: string, tags: Record<string, string> | null): Promise<unknown> =>
  client.patch(apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/${NAMESPACE}/vmtemplates/${provider}`, "merge", {
    spec: { tags },
  });

beforeAll(async () => {
  client = createClient(await loadKubeconfig(kubeconfig, {}));
  const metadata = { name: NAMESPACE };
  await client.create(apiPath`/api/v1/namespaces`, { apiVersion: "v1", kind: "Namespace", metadata });
  for (const provider of ["aws", "gcp"]) {
    await client.create(objects, {
      ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate" },
      metadata: { name: provider, namespace: NAMESPACE },
      spec: { provider, cpu: 1, memory: 2, os: "ubuntu-24.04", tags: { team: "web" } },
    });
  }
  await Promise.all(["aws", "gcp"].map(available));
});
afterAll(() => client.close());

describe("tags of a machine's volumes", () => {
  it("cost no revision: one for a machine, two where the id of its security group is awaited", async () => {
    await vi.waitFor(async () => expect([await revisionsOf("gcp"), await revisionsOf("aws")]).toEqual([1, 2]), {
      timeout: 30_000,
      interval: 200,
    });
  });

  it("are there at the creation, and the boot disk keeps its own, which Google fixes", async () => {
    expect((await list(machines)).map(labelsOf)).toEqual([{ team: "web" }]);
    await tag("gcp", { team: "data", stage: "test" });
    await vi.waitFor(
      async () => {
        const [machine] = await list(machines);
        expect(machine?.metadata.labels).toMatchObject({ team: "data", stage: "test" });
        expect(valueAt(machine, "status.observedGeneration")).toBe(machine?.metadata.generation);
        expect(labelsOf(machine)).toEqual({ team: "web" });
      },
      { timeout: 60_000, interval: 200 },
    );
    await available("gcp");
  });

  it("come from a launch template on AWS, which follows the tags of the object", async () => {
    const tagsOf = async () =>
      (await list(templates)).map(
        (one) => valueAt(one, "spec.data.tagSpecifications") as { tags: { value: string }[] }[],
      );
    expect((await tagsOf()).flat().flatMap(({ tags }) => tags.map(({ value }) => value))).toContain("web");
    await tag("aws", { team: "data" });
    await vi.waitFor(async () => expect(JSON.stringify(await tagsOf())).toContain('{"key":"team","value":"data"}'), {
      timeout: 60_000,
      interval: 200,
    });
    await available("aws");
    await tag("aws", null);
    await vi.waitFor(async () => expect(await list(templates)).toEqual([]), { timeout: 60_000, interval: 200 });
    expect((await list(instances)).map(({ spec }) => spec?.["launchTemplate"])).toEqual([undefined]);
    await available("aws");
  });

  it("cost one revision for each change, and no error of a provider was told", async () => {
    expect([await revisionsOf("gcp"), await revisionsOf("aws")]).toEqual([2, 4]);
    const events = await client.get<{ items: { type: string; reason: string; message: string }[] }>(
      apiPath`/api/v1/namespaces/${NAMESPACE}/events`,
    );
    const warnings = (events?.items ?? []).filter(({ type }) => type === "Warning");
    expect(warnings.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([]);
  });
});
