import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { applyObject } from "../../../src/local/control-plane/apply-object.ts";
import type { KubernetesObject } from "../../../src/model/kubernetes.ts";
import { sendRequest } from "../../support/send-request.ts";

const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
/** The policy holds only for namespaces of this test: other files work on the same control plane. */
const LABEL = { "test.landfall.dev/settings": "checked" };
let client: KubeClient;

beforeAll(async () => {
  client = createClient(await loadKubeconfig(inject("cluster").kubeconfig, {}));
  const file = new URL("../../../charts/landfall/optional/namespace-settings.yaml", import.meta.url);
  const [policy, binding] = parseAllDocuments(await readFile(file, "utf8")).map(
    (document) => document.toJS() as KubernetesObject & { spec: object },
  );
  await create("old", { "landfall.dev/max-latncy": "30" });
  if (policy !== undefined) await applyObject(client, policy);
  const matchResources = { namespaceSelector: { matchLabels: LABEL } };
  if (binding !== undefined)
    await applyObject(client, { ...binding, spec: { ...binding.spec, matchResources } } as KubernetesObject);
  await vi.waitFor(
    async () => {
      expect((await create(`probe-${String(Date.now())}`, { "landfall.dev/x": "y" })).status).toBe(422);
    },
    { timeout: 30_000, interval: 300 },
  );
});

afterAll(async () => {
  for (const kind of ["validatingadmissionpolicybindings", "validatingadmissionpolicies"])
    await sendRequest(client, `${ADMISSION}/${kind}/namespace-settings.landfall.dev`, { method: "DELETE" });
  await client.close();
});

const create = (name: string, annotations: Record<string, string>) =>
  sendRequest(client, "/api/v1/namespaces", {
    method: "POST",
    body: { apiVersion: "v1", kind: "Namespace", metadata: { name: `settings-${name}`, labels: LABEL, annotations } },
  });

const annotate = (name: string, annotations: Record<string, string>) =>
  sendRequest(client, `/api/v1/namespaces/settings-${name}`, { method: "PATCH", body: { metadata: { annotations } } });

describe("the policy about settings of namespaces", () => {
  it.each([
    [
      "a misspelt name",
      { "landfall.dev/max-latncy": "30" },
      "annotation landfall.dev/max-latncy is not a setting of a namespace; remove it, or write one of landfall.dev/origin, landfall.dev/providers, landfall.dev/regions,",
    ],
    [
      "a unit",
      { "landfall.dev/max-latency": "30ms" },
      'annotation landfall.dev/max-latency "30ms" is not valid; write milliseconds as a whole number, e.g. "30"',
    ],
    [
      "a country's name",
      { "landfall.dev/residency": "italy" },
      'landfall.dev/residency "italy" is not valid; write EU, EEA, GDPR or codes of countries, with commas, e.g. "EU,CH"',
    ],
    [
      "two faults, in the order of the settings",
      { "landfall.dev/quota-vcpus": "many", "landfall.dev/providers": "[azure]" },
      'annotation landfall.dev/providers "[azure]" is not valid; write providers with commas, e.g. "azure,aws"; annotation landfall.dev/quota-vcpus "many"',
    ],
    ["an unknown end", { "landfall.dev/when-done": "remove" }, 'write "delete", "stop" or "keep"'],
    [
      "a place without a provider",
      { "landfall.dev/origin": "italynorth" },
      'write provider/region, e.g. "azure/italynorth"',
    ],
  ])("denies %s", async (_, annotations, message) => {
    const { status, body } = await create("denied", annotations);
    expect(status).toBe(422);
    expect(body["message"]).toContain(message);
  });

  it("admits every setting in its form, and annotations of others", async () => {
    const given = {
      "landfall.dev/residency": "EU, CH",
      "landfall.dev/max-wait": "1d12h",
      "landfall.dev/quota-vcpus": "64",
    };
    expect((await create("good", { ...given, "example.org/max-latncy": "30" })).status).toBe(201);
    expect(
      (await annotate("good", { "landfall.dev/origin": "azure/italynorth", "landfall.dev/name-pattern": "^a" })).status,
    ).toBe(200);
    expect((await annotate("good", { "landfall.dev/max-latency": "fast" })).status).toBe(422);
  });

  it("lets what was there before the policy stay, but not be written anew", async () => {
    expect((await annotate("old", { "example.org/a": "b" })).status).toBe(200);
    expect((await annotate("old", { "landfall.dev/max-latncy": "40" })).status).toBe(422);
  });
});
