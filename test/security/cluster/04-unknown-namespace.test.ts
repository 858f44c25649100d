import { describe, expect, inject, it } from "vitest";
import { apiPath } from "../../../src/cluster/api-path.ts";
import { createClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { vm } from "../../support/admission.ts";

const { kubeconfig } = inject("cluster");

describe("4: the first objects of a namespace on the API server", () => {
  it("follow its rules, however soon they are created after it", async () => {
    const client = createClient(await loadKubeconfig(kubeconfig, process.env));
    const regions = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const name = `fresh-${String(index)}`;
        const metadata = { name, annotations: { "landfall.dev/providers": "elemento" } };
        await client.create(apiPath`/api/v1/namespaces`, { apiVersion: "v1", kind: "Namespace", metadata });
        const object = vm({ cpu: 2, memory: 4 }, { name: "first", namespace: name });
        const path = apiPath`/apis/composition.krateo.io/v0-1-0/namespaces/${name}/vmtemplates`;
        return (await client.create<Resource>(path, object)).spec?.["provider"];
      }),
    );
    expect(regions).toEqual(Array.from({ length: 10 }, () => "elemento"));
    await client.close();
  });
});
