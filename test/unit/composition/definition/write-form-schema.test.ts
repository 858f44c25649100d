import { pino } from "pino";
import { expect, it, vi } from "vitest";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import { writeFormSchema } from "../../../../src/composition/definition/write-form-schema.ts";
import type { CompositionDefinition, ServedChart } from "../../../../src/composition/types.ts";

const schema = { type: "object", properties: { cpu: { type: "integer" } } };
const definition: CompositionDefinition = {
  apiVersion: "core.krateo.io/v1alpha1",
  kind: "CompositionDefinition",
  metadata: { name: "vm", namespace: "system", uid: "u-1" },
  spec: {},
};
const served: ServedChart = {
  definition: { name: "vm", namespace: "system" },
  chart: { directory: "/", name: "vm-template", version: "1.2.0", alsoServes: [], digest: "", schema },
  ...{ url: "oci://x", kind: "VmTemplate", plural: "vmtemplates", version: "v1-2-0" },
};
const PATH = "/api/v1/namespaces/system/configmaps/vmtemplates-v1-2-0-jsonschema-configmap";

/** The patches that it sends where `existing` is there. */
async function written(existing: object | null): Promise<unknown[][]> {
  const patch = vi.fn(() => Promise.resolve({}));
  const get = vi.fn((path: string) => Promise.resolve(path === PATH ? existing : null));
  const clientIn = () => Promise.resolve({ get, patch } as unknown as KubeClient);
  await writeFormSchema({ clientIn, log: pino({ level: "silent" }) }, definition, served);
  return patch.mock.calls;
}

it("writes the schema where Krateo's portal reads it: under the key values.schema.json", async () => {
  const [[path, type, body] = [], ...more] = await written(null);
  expect([path, type, more]).toEqual([PATH, "apply", []]);
  expect(body).toMatchObject({ data: { "values.schema.json": expect.any(String) as string } });
  const { data } = body as { data: Record<string, string> };
  expect(Object.entries(data).map(([key, text]) => [key, JSON.parse(text) as unknown])).toEqual([
    ["values.schema.json", schema],
  ]);
});

it("leaves one with the same schema under that key, and replaces any other", async () => {
  const metadata = { ownerReferences: [{ uid: "u-1" }] };
  const text = JSON.stringify(schema, null, 2);
  expect(await written({ metadata, data: { "values.schema.json": text } })).toEqual([]);
  expect(await written({ metadata, data: { schema: text } })).toHaveLength(1);
  expect(await written({ metadata, data: { "values.schema.json": "{}" } })).toHaveLength(1);
});
