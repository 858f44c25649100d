// A token that the real API server issues, shown by the API server through the kubeconfig of its AdmissionConfiguration.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { Agent, request } from "undici";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { apiPath } from "../../src/cluster/api-path.ts";
import { ApiError } from "../../src/cluster/client/api-error.ts";
import { applyObject } from "../../src/local/control-plane/apply-object.ts";
import type { Resource } from "../../src/model/kubernetes.ts";
import { API_VERSION } from "../../src/model/names.ts";
import type { WorkloadObject } from "../../src/model/workload.ts";
import { reviewOf } from "../support/admission.ts";
import { useOf } from "../support/services/authenticating-webhook.ts";
import { type InstalledChart, prepareChart } from "../support/charts/installed-chart.ts";
import { ownAddress, type RunningPod, untilReady } from "../support/charts/run-pods.ts";

const VMS = apiPath`/apis/${"composition.krateo.io"}/${"v0-2-0"}/namespaces/${"demo"}/vmtemplates`;
const URL = "https://landfall-webhook.landfall-system.svc";

let chart: InstalledChart;
let tokenFile: string;
let webhook: RunningPod;

const machine: WorkloadObject = {
  ...{ apiVersion: API_VERSION, kind: "VmTemplate", metadata: { generateName: "web-", namespace: "demo" } },
  spec: { cpu: 2, memory: 4, provider: "azure" },
};

async function tokenOf(account: string, audiences: string[]): Promise<string> {
  const path = apiPath`/api/v1/namespaces/${"kube-system"}/serviceaccounts/${account}/token`;
  const body = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { audiences, expirationSeconds: 3600 },
  };
  return String((await chart.plane.client.create<Resource>(path, body)).status?.["token"]);
}

const create = (): Promise<string> =>
  chart.plane.client.create<Resource>(VMS, machine, { dryRun: "All" }).then(
    (made) => useOf(made as WorkloadObject) ?? "",
    (thrown: unknown) => (thrown instanceof ApiError ? thrown.detail : String(thrown)),
  );

/** The API server reads the file again within a minute. */
const wait = { timeout: 120_000, interval: 500 };

beforeAll(async () => {
  chart = await prepareChart(
    () => Promise.resolve({ door: "token" }),
    async (base) => {
      tokenFile = join(base, "token");
      await writeFile(tokenFile, "none yet");
      const kubeConfigFile = join(base, "webhook.kubeconfig");
      const users = [{ name: "landfall-webhook.landfall-system.svc", user: { tokenFile } }];
      await writeFile(kubeConfigFile, stringify({ apiVersion: "v1", kind: "Config", users }));
      const apiVersion = "apiserver.config.k8s.io/v1";
      const configuration = { apiVersion, kind: "WebhookAdmissionConfiguration", kubeConfigFile };
      const plugins = ["MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"].map((name) => ({
        name,
        configuration,
      }));
      const file = join(base, "admission.yaml");
      await writeFile(file, stringify({ apiVersion, kind: "AdmissionConfiguration", plugins }));
      return { "admission-control-config-file": file };
    },
  );
  const { output, failed } = await chart.install();
  expect([failed, output]).toEqual([false, expect.stringContaining("helm test landfall")]);
  await applyObject(chart.plane.client, {
    ...{ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "webhook-auth", namespace: "kube-system" } },
  });
  webhook = await chart.start("Deployment landfall-webhook", 0);
  const controller = await chart.start("Deployment landfall-controller", 0);
  await Promise.all([untilReady(webhook), untilReady(controller)]);
  await chart.announce("webhook-0", webhook);
});

afterAll(() => chart.stop());

it("an API server without a good token is refused", async () => {
  await vi.waitFor(async () => expect(await create()).toContain("ADM_NOT_AUTHENTICATED"), wait);
});

it("the API server's token for these URLs is accepted, and its decisions are final", async () => {
  await writeFile(tokenFile, await tokenOf("webhook-auth", [`${URL}/mutate`, `${URL}/validate`]));
  await vi.waitFor(async () => expect(await create()).toBe("preview"), wait);
  const made = await chart.plane.client.create<Resource>(VMS, machine);
  expect(useOf(made as WorkloadObject)).toBe("create");
});

it("a Pod without a token gets no decision", async () => {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const url = `https://${ownAddress()}:${String(webhook.ports["https"])}/mutate`;
  const headers = { "content-type": "application/json" };
  const answer = await request(url, { method: "POST", body: reviewOf(machine), headers, dispatcher });
  expect([answer.statusCode, await answer.body.text()]).toEqual([
    403,
    expect.stringContaining("ADM_NOT_AUTHENTICATED"),
  ]);
  await dispatcher.close();
});
