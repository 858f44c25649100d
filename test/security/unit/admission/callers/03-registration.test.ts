import { afterEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../../../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../../../src/cluster/client/create-client.ts";
import type { KubernetesObject } from "../../../../../src/model/kubernetes.ts";
import { INSTALLATION } from "../../../../../src/model/names.ts";
import {
  configurationsFor,
  type Endpoint,
  readConfigurations,
  register,
} from "../../../../../webhook/registration/register.ts";
import { faultOf } from "../../../../../webhook/registration/configuration-fault.ts";
import {
  keepRegistered,
  registerFirst,
  type Registration,
} from "../../../../../webhook/registration/keep-registered.ts";
import { SUSPENDED } from "../../../../../webhook/registration/suspended-by.ts";

const endpoint = { url: "https://10.0.0.1:8443", ca: "PEM" };
const SYSTEM = "/api/v1/namespaces/landfall-system";
const CONFIG_MAP = `${SYSTEM}/configmaps/landfall-release`;
const MUTATING = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/placement.landfall.dev";
const VALIDATING = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/guard.landfall.dev";

type Stored = KubernetesObject & { webhooks?: Record<string, unknown>[] };

/** Server-side apply, as far as these configurations need it: lists of webhooks and conditions are merged by name. */
function applied(present: Stored | undefined, body: Stored): Stored {
  const merge = (before: unknown, after: unknown): unknown[] => {
    const [old, next] = [(before ?? []) as { name: string }[], (after ?? []) as { name: string }[]];
    return [...next, ...old.filter(({ name }) => !next.some((one) => one.name === name))];
  };
  const webhooks = (body.webhooks ?? []).map((one) => {
    const before = present?.webhooks?.find(({ name }) => name === one["name"]);
    return { ...before, ...one, matchConditions: merge(before?.["matchConditions"], one["matchConditions"]) };
  });
  const metadata = { ...present?.metadata, ...body.metadata };
  metadata.labels = { ...present?.metadata.labels, ...body.metadata.labels };
  return { ...body, metadata, webhooks: merge(present?.webhooks, webhooks) as Record<string, unknown>[] };
}

/** An API server that keeps objects by their paths. */
function server() {
  const objects = new Map<string, Stored>([
    [SYSTEM, { apiVersion: "v1", kind: "Namespace", metadata: { name: "landfall-system" } }],
  ]);
  /** What its cache still shows in place of the objects. */
  const cached = new Map<string, Stored>();
  const client = {
    get(path: string, { query }: { query?: { resourceVersion?: string } } = {}) {
      const earlier = query?.resourceVersion === "0" ? cached.get(path) : undefined;
      return Promise.resolve(structuredClone(earlier ?? objects.get(path) ?? null));
    },
    create(path: string, body: Stored) {
      objects.set(`${path}/${body.metadata.name ?? ""}`, structuredClone(body));
      return Promise.resolve(body);
    },
    patch(path: string, _type: string, body: Stored) {
      const next = applied(objects.get(path), structuredClone(body));
      const both = next.webhooks?.some(({ clientConfig }) => Object.keys(clientConfig as object).length > 2);
      if (both === true) return Promise.reject(new ApiError(422, { action: "PATCH", detail: "url and service" }));
      objects.set(path, next);
      return Promise.resolve(structuredClone(next));
    },
    replace(path: string, body: Stored) {
      objects.set(path, structuredClone(body));
      return Promise.resolve(body);
    },
  } as unknown as KubeClient;
  return { client, objects, cached };
}

const registerNow = async (client: KubeClient, wanted: Endpoint): Promise<void> =>
  register(client, wanted, await readConfigurations(client, wanted, "latest"));

let registration: Registration | null = null;

afterEach(async () => {
  await registration?.stop();
  registration = null;
});

async function kept(more: Partial<Endpoint> = {}, release: string | null = null) {
  const { client, objects, cached } = server();
  if (release !== null) objects.set(CONFIG_MAP, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: release } });
  await registerNow(client, { ...endpoint, ...more });
  const events: { reason: string; message: string }[] = [];
  const failures: unknown[] = [];
  registration = keepRegistered({
    ...{ client, endpoint: () => ({ ...endpoint, ...more }), systemNamespace: "landfall-system", everyMs: 5 },
    ...(release === null ? {} : { releaseConfigMap: release }),
    onEvent: (event) => events.push(event),
    onFailure: (thrown) => failures.push(thrown),
  });
  return { objects, cached, events, failures, registration };
}

const webhookIn = (objects: Map<string, Stored>, path: string): Record<string, unknown> =>
  objects.get(path)?.webhooks?.[0] ?? {};

describe("3: the webhook configurations", () => {
  it.each([
    ["mutating", MUTATING],
    ["validating", VALIDATING],
  ])("are put back when the %s one is deleted, with an Event", async (_, path) => {
    const { objects, events, registration: watch } = await kept();
    objects.delete(path);
    await vi.waitFor(() => expect(webhookIn(objects, path)["failurePolicy"]).toBe("Fail"));
    expect(watch.restored()).toBe(1);
    expect(events).toMatchObject([{ reason: "RegistrationRestored" }]);
    expect(events[0]?.message).toMatch(/WebhookConfiguration \S+ was deleted; it is as before again$/);
  });

  it.each<[string, Record<string, unknown>]>([
    ["a policy that lets objects pass", { failurePolicy: "Ignore" }],
    ["fewer operations", { rules: [] }],
    ["another address", { clientConfig: { url: "https://evil.example", caBundle: "" } }],
    ["a selector that excludes namespaces", { namespaceSelector: { matchLabels: { a: "b" } } }],
    ["another webhook's conditions", { matchConditions: [] }],
    ["a condition that is never true", { matchConditions: [{ name: "never", expression: "false" }] }],
  ])("are put back after they got %s", async (_, change) => {
    const { objects } = await kept();
    const stored = objects.get(MUTATING) as Stored;
    objects.set(MUTATING, { ...stored, webhooks: [{ ...stored.webhooks?.[0], ...change }] });
    const [wanted] = configurationsFor(endpoint);
    await vi.waitFor(() => expect(objects.get(MUTATING)).toMatchObject(wanted?.configuration ?? {}));
    await vi.waitFor(() => expect(faultOf(wanted?.configuration as Stored, objects.get(MUTATING) ?? null)).toBeNull());
  });

  it("lose the condition of an emergency at its end without a warning, as nobody changed them", async () => {
    const emergency = { name: "no-emergency", expression: "!(request.namespace in ['demo'])" };
    const now: Partial<Endpoint> = { emergency };
    const { objects, events, registration: watch } = await kept(now);
    await watch.look();
    now.emergency = null;
    await vi.waitFor(() => expect(JSON.stringify(objects.get(MUTATING))).not.toContain("no-emergency"));
    await vi.waitFor(() => expect(JSON.stringify(objects.get(VALIDATING))).not.toContain("no-emergency"));
    expect([events, watch.restored()]).toEqual([[], 0]);
  });

  it("keep what others add: labels, annotations, and the API server's defaults", async () => {
    const { objects, events, registration: watch } = await kept();
    const stored = objects.get(VALIDATING) as Stored;
    const defaults = { namespaceSelector: {}, objectSelector: {} };
    const labelled = { ...stored.metadata, labels: { "app.kubernetes.io/managed-by": "x" } };
    objects.set(VALIDATING, { ...stored, metadata: labelled, webhooks: [{ ...stored.webhooks?.[0], ...defaults }] });
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect([events, watch.restored()]).toEqual([[], 0]);
    objects.set(VALIDATING, { ...stored, metadata: labelled, webhooks: [] });
    await vi.waitFor(() => expect(watch.restored()).toBe(1));
    expect(objects.get(VALIDATING)?.metadata.labels).toMatchObject(labelled.labels);
  });

  it("stay away while that is recorded at the namespace, and come back after", async () => {
    const { objects, events, registration: watch } = await kept();
    const namespace = objects.get(SYSTEM) as Stored;
    const annotations = { [SUSPENDED]: "incident 42" };
    objects.set(SYSTEM, { ...namespace, metadata: { ...namespace.metadata, annotations } });
    objects.delete(MUTATING);
    await vi.waitFor(() => expect(watch.state()).toBe("suspended"));
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(objects.has(MUTATING)).toBe(false);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ reason: "RegistrationSuspended" });
    expect(events[0]?.message).toContain("incident 42");
    objects.set(SYSTEM, namespace);
    await vi.waitFor(() => expect([watch.state(), objects.has(MUTATING)]).toEqual(["registered", true]));
  });

  it("keep the selectors of others only if that is allowed", async () => {
    const selector = { matchExpressions: [{ key: "control-plane", operator: "DoesNotExist" }] };
    const { objects, registration: watch } = await kept({ allowSelectors: true });
    const stored = objects.get(MUTATING) as Stored;
    const change = { namespaceSelector: selector, failurePolicy: "Ignore" };
    objects.set(MUTATING, { ...stored, webhooks: [{ ...stored.webhooks?.[0], ...change }] });
    await vi.waitFor(() => expect(watch.restored()).toBe(1));
    expect(webhookIn(objects, MUTATING)).toMatchObject({ namespaceSelector: selector, failurePolicy: "Fail" });
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(watch.restored()).toBe(1);
  });

  it("of another installation stay, and this one does not start", async () => {
    const { client, objects } = server();
    await registerNow(client, { ...endpoint, installation: "landfall-system" });
    const stop = registerFirst({
      ...{ client, endpoint: () => ({ ...endpoint, installation: "second" }), systemNamespace: "second" },
      ...{ onEvent: () => undefined, onFailure: () => undefined },
    });
    await expect(stop).rejects.toMatchObject({
      code: "ADM_INSTALLED",
      line: expect.stringContaining(
        "placement.landfall.dev belongs to the installation of Landfall in namespace landfall-system",
      ) as string,
    });
    expect(objects.get(MUTATING)?.metadata.annotations).toEqual({ [INSTALLATION]: "landfall-system" });
  });

  it("are put back after they were given to another installation", async () => {
    const { objects, registration: watch } = await kept({ installation: "landfall-system" });
    const stored = objects.get(MUTATING) as Stored;
    objects.set(MUTATING, { ...stored, metadata: { ...stored.metadata, annotations: { [INSTALLATION]: "second" } } });
    await vi.waitFor(() => expect(watch.restored()).toBe(1));
    expect(objects.get(MUTATING)?.metadata.annotations).toEqual({ [INSTALLATION]: "landfall-system" });
  });

  it("name a Service after a URL of an earlier version", async () => {
    const { client, objects } = server();
    await registerNow(client, endpoint);
    const service = { namespace: "landfall-system", name: "landfall-webhook", port: 443 };
    await registerNow(client, { ca: "PEM", service });
    expect(webhookIn(objects, VALIDATING)["clientConfig"]).toEqual({
      service: { ...service, path: "/validate" },
      caBundle: Buffer.from("PEM").toString("base64"),
    });
  });

  it("are seen as the API server sees them, in its cache (ADR 0016): what only etcd has, it does not go by yet", async () => {
    const { objects, cached, registration: watch } = await kept();
    cached.set(MUTATING, structuredClone(objects.get(MUTATING) as Stored));
    objects.delete(MUTATING);
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect([objects.has(MUTATING), watch.restored()]).toEqual([false, 0]);
    cached.clear();
    await vi.waitFor(() => expect([objects.has(MUTATING), watch.restored()]).toEqual([true, 1]));
  });

  it("are not written again while the chart's release is being deleted", async () => {
    const { objects, events, registration: watch } = await kept({}, "landfall-release");
    const release = objects.get(CONFIG_MAP) as Stored;
    const metadata = { ...release.metadata, deletionTimestamp: "2026-11-28T00:00:00Z", finalizers: ["example.com/a"] };
    objects.set(CONFIG_MAP, { ...release, metadata });
    objects.delete(MUTATING);
    await vi.waitFor(() => expect(watch.state()).toBe("suspended"));
    expect([objects.has(MUTATING), watch.restored()]).toEqual([false, 0]);
    expect(events[0]?.message).toContain("the chart's release is being removed");
  });

  it("are not written again once the chart's release is gone", async () => {
    const { objects, events, registration: watch } = await kept({}, "landfall-release");
    objects.delete(CONFIG_MAP);
    objects.delete(MUTATING);
    await vi.waitFor(() => expect(watch.state()).toBe("suspended"));
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect([objects.has(MUTATING), watch.restored()]).toEqual([false, 0]);
    expect(events[0]?.message).toContain("the chart's release is being removed");
  });
});
