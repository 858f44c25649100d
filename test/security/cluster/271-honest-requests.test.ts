// Creations that the API server stores, and dry runs, are never counted as objects that it refused.
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, inject, it, vi } from "vitest";
import { messageOf } from "../../../src/errors.ts";
import { vm } from "../../support/admission.ts";
import { openTenant, type TenantCluster } from "../../support/composition/tenant.ts";
import { certificateOf } from "../../support/services/certificate-of.ts";

const REGISTRATION = "admissionregistration.k8s.io";
const CONFIGURATIONS = `/apis/${REGISTRATION}/v1/mutatingwebhookconfigurations`;
/** Longer than a reservation counts that the guard has not seen. */
const SLOW_MS = 11_000;
/** A claim in the ledger counts for 20 s. */
const ENDED_MS = 26_000;
const worlds: TenantCluster[] = [];
let slow: Server;

/** A namespace with a quota, and what its tenant asks for. No controller installs a paused object. */
async function openNamespace(
  namespace: string,
  quota: Record<string, string> = { "landfall.dev/quota-vcpus": "1000" },
) {
  const world = await openTenant(inject("cluster").kubeconfig, namespace, quota);
  worlds.push(world);
  const path = `/apis/composition.krateo.io/v0-1-0/namespaces/${namespace}/vmtemplates`;
  const { client } = world.tenant;
  const object = (name: string) => {
    const metadata = { name, namespace, annotations: { "krateo.io/paused": "true" } };
    return vm({ cpu: 1, memory: 4, provider: "gcp", schedulingLocation: "europe-west1" }, metadata);
  };
  const create = (name: string, query = ""): Promise<string> =>
    client.create(`${path}${query}`, object(name)).then(() => "", messageOf);
  const apply = (name: string, query = ""): Promise<string> =>
    client.patch(`${path}/${name}?fieldManager=argocd${query}`, "apply", object(name)).then(() => "", messageOf);
  const remove = (name: string): Promise<boolean> => client.remove(`${path}/${name}`);
  /** As clients do: again after status 429. Returns how often its name was said to exist, and what was said last. */
  const insist = async (ask: () => Promise<string>): Promise<[number, string]> => {
    let refusals = 0;
    for (let tries = 0; ; tries += 1) {
      const said = await ask();
      refusals += Number(said.includes("[ADM_NAME_EXISTS]"));
      if (tries === 20 || !/ADM_(?:NAME_EXISTS|BUSY|LEDGER)\]/.test(said)) return [refusals, said];
      await sleep(1000);
    }
  };
  const start = async (): Promise<void> => {
    const said = await create("first");
    if (said !== "") throw new Error(said);
  };
  await vi.waitFor(start, { timeout: 60_000, interval: 500 });
  return { create, apply, remove, insist, admin: world.admin };
}

const namesOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `vm-${String(index)}`);

beforeAll(async () => {
  const day = 86_400_000;
  const { certificate, key } = await certificateOf(new Date(Date.now() - day), new Date(Date.now() + day));
  slow = createServer({ cert: certificate, key }, (request, response) => {
    void json(request).then(async (review) => {
      await sleep(SLOW_MS);
      const { uid } = (review as { request: { uid: string } }).request;
      const answer = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: { uid, allowed: true } };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
  const { admin } = await openNamespace("honest-none", {});
  const { port } = slow.address() as AddressInfo;
  const url = `https://127.0.0.1:${String(port)}/`;
  // Webhooks are called in the order of these names.
  await admin.create(CONFIGURATIONS, {
    ...{ apiVersion: `${REGISTRATION}/v1`, kind: "MutatingWebhookConfiguration", metadata: { name: "zz-slow-271" } },
    webhooks: [
      {
        ...{ name: "slow.example.com", sideEffects: "None", admissionReviewVersions: ["v1"], timeoutSeconds: 20 },
        clientConfig: { url, caBundle: Buffer.from(certificate).toString("base64") },
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "honest-slow" } },
        rules: [
          {
            apiGroups: ["composition.krateo.io"],
            apiVersions: ["*"],
            resources: ["vmtemplates"],
            operations: ["CREATE"],
          },
        ],
      },
    ],
  });
});

afterAll(async () => {
  await worlds[0]?.admin.remove(`${CONFIGURATIONS}/zz-slow-271`);
  slow.close();
  await Promise.all(worlds.map((world) => world.close()));
});

describe("271: what is not refused later as objects that were not stored", () => {
  it.concurrent("200 creations of one user at the same time", async ({ expect }) => {
    const { insist, create } = await openNamespace("honest-burst");
    const answers = await Promise.all(namesOf(200).map((name) => insist(() => create(name))));
    expect(answers.filter(([, said]) => said !== "")).toEqual([]);
    await sleep(ENDED_MS);
    expect(await insist(() => create("last"))).toEqual([0, ""]);
  });

  it.concurrent("dry runs, as of kubectl diff and Argo CD, before objects are applied", async ({ expect }) => {
    const { create, apply, insist } = await openNamespace("honest-dry");
    const names = namesOf(20);
    const dry = [
      ...names.map((name) => create(name, "?dryRun=All")),
      ...names.map((name) => apply(name, "&dryRun=All")),
    ];
    expect((await Promise.all(dry)).filter((said) => said !== "")).toEqual([]);
    const applied = await Promise.all(names.map((name) => insist(() => apply(name))));
    expect(applied.filter(([, said]) => said !== "")).toEqual([]);
    await sleep(ENDED_MS);
    expect(await insist(() => create("last"))).toEqual([0, ""]);
  });

  it.concurrent("objects that are deleted and created again in the same moment, after at most two refusals", async ({
    expect,
  }) => {
    const { create, remove, insist } = await openNamespace("honest-again");
    const names = namesOf(10);
    for (const name of names) expect(await insist(() => create(name))).toEqual([0, ""]);
    const again = async (name: string): Promise<[number, string]> => {
      await remove(name);
      return insist(() => create(name));
    };
    const answers = await Promise.all(names.map(again));
    expect(answers.filter(([, said]) => said !== "")).toEqual([]);
    expect(Math.max(...answers.map(([refusals]) => refusals))).toBeLessThanOrEqual(2);
    await sleep(ENDED_MS);
    expect(await insist(() => create("last"))).toEqual([0, ""]);
  });

  it.concurrent("creations that a later webhook holds up", async ({ expect }) => {
    const { create, insist } = await openNamespace("honest-slow", {});
    const answers = await Promise.all(namesOf(8).map((name) => insist(() => create(name))));
    expect(answers.filter(([, said]) => said !== "")).toEqual([]);
    await sleep(ENDED_MS - SLOW_MS);
    expect(await insist(() => create("last"))).toEqual([0, ""]);
  });
});
