import { afterAll, beforeAll, expect, inject, it, vi } from "vitest";
import { createClient, type KubeClient } from "../../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import type { KubernetesObject } from "../../../src/model/kubernetes.ts";
import { textClient, type TextClient } from "../../support/text-client.ts";

const GUARD = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/guard.landfall.dev";
const LIMIT = { timeout: 60_000, interval: 200 };

let admin: KubeClient & TextClient;

beforeAll(async () => {
  admin = textClient(createClient(await loadKubeconfig(inject("cluster").kubeconfig, {})));
});

afterAll(() => admin.close());

type Configuration = KubernetesObject & { webhooks: { failurePolicy: string }[] };

const guard = () => admin.get<Configuration>(GUARD);

// The other files of this cluster need the mutating webhook at every moment; the guard alone is missed by none of them.
it("3: a webhook configuration is put back with the webhook's own rights, changed or deleted", async () => {
  const before = await guard();
  await admin.patch(GUARD, "json", [{ op: "replace", path: "/webhooks/0/failurePolicy", value: "Ignore" }]);
  await vi.waitFor(async () => expect((await guard())?.webhooks[0]?.failurePolicy).toBe("Fail"), LIMIT);
  await admin.remove(GUARD);
  await vi.waitFor(async () => expect((await guard())?.webhooks).toEqual(before?.webhooks), LIMIT);
  const path = "/api/v1/namespaces/default/events";
  const events = await admin.get<{ items: { reason: string; message: string }[] }>(path);
  const said = events?.items.filter(({ reason }) => reason === "RegistrationRestored").map(({ message }) => message);
  expect(said).toContainEqual(expect.stringContaining("ValidatingWebhookConfiguration guard.landfall.dev was deleted"));
});
