// `helm install` of the chart on a real API server, then processes as its Pods say: what is shipped is what is run.
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { apiPath } from "../../src/cluster/api-path.ts";
import { ApiError } from "../../src/cluster/client/api-error.ts";
import { applyObject } from "../../src/local/control-plane/apply-object.ts";
import type { ControlPlane } from "../../src/local/control-plane/start-control-plane.ts";
import { WEBHOOK_CLIENT } from "../../src/local/control-plane/write-pki.ts";
import type { Resource } from "../../src/model/kubernetes.ts";
import { API_VERSION } from "../../src/model/names.ts";
import { type InstalledChart, NAMESPACE, prepareChart } from "../support/charts/installed-chart.ts";
import { hasOwnNetworks } from "../support/charts/own-network.ts";
import { LANDFALL_CHART, type PodTemplate, type Rendered, renderLandfall } from "../support/charts/render-landfall.ts";
import { type RunningPod, untilReady } from "../support/charts/run-pods.ts";

const VMS = apiPath`/apis/${"composition.krateo.io"}/${"v0-2-0"}/namespaces/${"demo"}/vmtemplates`;
const CONFIGURATION = apiPath`/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/placement.landfall.dev`;

let chart: InstalledChart;
let base: string;
let plane: ControlPlane;
let values: Record<string, unknown>;
let templates: readonly PodTemplate[];
let pods: readonly RunningPod[];
let webhooks: RunningPod[];
let run: InstalledChart["run"];
let start: InstalledChart["start"];
let announce: InstalledChart["announce"];

const machine = (name: string) => ({
  ...{ apiVersion: API_VERSION, kind: "VmTemplate", metadata: { name, namespace: "demo" } },
  spec: { cpu: 2, memory: 4, provider: "azure" },
});
const vm = (name: string) =>
  plane.client.get<Resource>(
    apiPath`/apis/${"composition.krateo.io"}/${"v0-2-0"}/namespaces/${"demo"}/vmtemplates/${name}`,
  );
const patch = (name: string, metadata: object) =>
  plane.client.patch<Resource>(
    apiPath`/apis/${"composition.krateo.io"}/${"v0-2-0"}/namespaces/${"demo"}/vmtemplates/${name}`,
    "merge",
    { metadata },
  );

const statusOf = (thrown: unknown): string => (thrown instanceof ApiError ? thrown.detail : String(thrown));

beforeAll(async () => {
  chart = await prepareChart(async ({ pki }) => ({
    replicas: 2,
    clientCertificate: { ca: await readFile(pki.files.webhookClientAuthority, "utf8"), commonName: WEBHOOK_CLIENT },
  }));
  ({ base, plane, values, templates, pods, run, start, announce } = chart);
});

afterAll(() => chart.stop());

describe("the chart", () => {
  it("is installed in a namespace that enforces the security standard restricted", async () => {
    await run("kubectl", "label", "namespace", NAMESPACE, "pod-security.kubernetes.io/enforce=restricted");
    const { output, failed } = await chart.install();
    expect([failed, output]).toEqual([false, expect.stringContaining("helm test landfall -n landfall-system")]);
  });

  it("is upgraded by the same command with other values, and refused as a second release", async () => {
    const values = ["-n", NAMESPACE, "-f", join(base, "values.yaml")];
    const upgrade = await run(
      "helm",
      "upgrade",
      "landfall",
      LANDFALL_CHART,
      ...values,
      "--set",
      "webhook.timeoutSeconds=9",
    );
    expect([upgrade.failed, upgrade.output]).toEqual([false, expect.stringContaining("REVISION: 2")]);
    const second = await run("helm", "install", "second", LANDFALL_CHART, ...values);
    expect([second.failed, second.output]).toEqual([true, expect.stringContaining("invalid ownership metadata")]);
  });

  it("has no field that the API server does not know", async () => {
    const { objects } = await renderLandfall(values);
    const file = join(base, "rendered.yaml");
    await writeFile(file, objects.map((object) => JSON.stringify(object)).join("\n---\n"));
    const args = ["apply", "--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict", "-f", file];
    expect(await run("kubectl", ...args)).toEqual({
      failed: false,
      output: expect.stringContaining("landfall-webhook") as string,
    });
  });

  it("has only Pods that the API server admits there", async () => {
    for (const { name, metadata, spec } of templates) {
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { generateName: "probe-", labels: metadata.labels },
        spec,
      };
      const path = apiPath`/api/v1/namespaces/${NAMESPACE}/pods`;
      await expect(plane.client.create(path, pod, { dryRun: "All" }), name).resolves.toMatchObject({ kind: "Pod" });
    }
    const root = {
      serviceAccountName: "landfall-webhook",
      containers: [{ name: "x", image: "x", securityContext: { runAsUser: 0 } }],
    };
    const bad = { apiVersion: "v1", kind: "Pod", metadata: { name: "root" }, spec: root };
    const refused = plane.client.create(apiPath`/api/v1/namespaces/${NAMESPACE}/pods`, bad, { dryRun: "All" });
    await expect(refused.catch(statusOf)).resolves.toContain("violates PodSecurity");
  });
});

describe("processes as the Pods say", () => {
  it("become ready, with one CA for both webhooks", async () => {
    webhooks = [await start("Deployment landfall-webhook", 0), await start("Deployment landfall-webhook", 1)];
    const controller = await start("Deployment landfall-controller", 0);
    await Promise.all([...webhooks, controller].map((pod) => untilReady(pod)));
    for (const [at, pod] of webhooks.entries()) await announce(`webhook-${String(at)}`, pod);
    const configuration = await plane.client.get<Rendered>(CONFIGURATION);
    const [webhook] = (configuration?.["webhooks"] ?? []) as { clientConfig: { service: object; caBundle: string } }[];
    expect(webhook?.clientConfig.service).toEqual({
      namespace: NAMESPACE,
      name: "landfall-webhook",
      port: 443,
      path: "/mutate",
    });
    const secret = await plane.client.get<Resource>(
      apiPath`/api/v1/namespaces/${NAMESPACE}/secrets/landfall-webhook-tls`,
    );
    expect(webhook?.clientConfig.caBundle).toBe(secret?.data?.["ca.crt"]);
  });

  it("decide and install a VmTemplate", async () => {
    const create = async (): Promise<void> => {
      const refused = await plane.client.create(VMS, machine("web")).then(() => null, statusOf);
      expect(refused, (await pods[2]?.log())?.slice(-3000)).toBeNull();
    };
    await vi.waitFor(create, { timeout: 120_000, interval: 500 });
    expect((await vm("web"))?.metadata.annotations?.["landfall.dev/decision"]).toContain('"azure"');
    const machines = apiPath`/apis/compute.azure.com/v1api20220301/namespaces/demo/virtualmachines`;
    await vi.waitFor(
      async () => {
        const found = await plane.client.get<{ items: Resource[] }>(machines);
        expect(found?.items.length, await pods[2]?.log()).toBe(1);
      },
      { timeout: 90_000, interval: 500 },
    );
  });

  it("keep the CRD and the definition of a kind that has objects", async () => {
    const crd = "vmtemplates.composition.krateo.io";
    const refused = async (code: string, ...args: string[]): Promise<void> => {
      const { failed, output } = await run("kubectl", "delete", "--dry-run=server", ...args);
      expect([failed, output]).toEqual([true, expect.stringContaining(`[${code}]`)]);
    };
    await vi.waitFor(() => refused("REL_KIND_IN_USE", "crd", crd), { timeout: 20_000, interval: 500 });
    const definition = ["compositiondefinition", "vm-template", "-n", NAMESPACE];
    await vi.waitFor(() => refused("REL_DEFINITION_IN_USE", ...definition), { timeout: 20_000, interval: 500 });
    const unused = ["crd", "kaasclusters.composition.krateo.io"];
    expect(await run("kubectl", "delete", "--dry-run=server", ...unused)).toMatchObject({ failed: false });
  });

  it("run as nobody", async () => {
    const pids = pods.map(({ pid }) => pid());
    const owners = await Promise.all(pids.map((pid) => stat(`/proc/${String(pid)}`)));
    expect(owners.filter(({ uid }) => uid === 0)).toEqual([]);
  });

  // Only root can mount a tree read-only for another user.
  it.skipIf(process.getuid?.() !== 0)("have a root that cannot be written", async () => {
    const pids = pods.map(({ pid }) => pid());
    const mounts = await Promise.all(pids.map((pid) => readFile(`/proc/${String(pid)}/mounts`, "utf8")));
    for (const text of mounts) expect(text).toMatch(/^\S+ \/ \S+ ro[, ]/m);
  });

  // Network namespaces need root and iproute2.
  it.skipIf(!hasOwnNetworks())("reach the API server and the registry only", async () => {
    const pids = pods.map(({ pid }) => pid());
    const devices = await Promise.all(pids.map((pid) => readFile(`/proc/${String(pid)}/net/dev`, "utf8")));
    for (const text of devices) expect(text.match(/^ *[\w.-]+(?=:)/gm)?.map((name) => name.trim())).toEqual(["lo"]);
  });

  it("are served by the FlowSchema of the chart", async () => {
    const schema = await plane.client.get<Resource>(
      apiPath`/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/${"landfall"}`,
    );
    for (const account of ["landfall-webhook", "landfall-composition"]) {
      const user = `system:serviceaccount:${NAMESPACE}:${account}`;
      const { output } = await run("kubectl", "get", "--raw", VMS, "-v=8", "--as", user);
      expect(output.toLowerCase()).toContain(`x-kubernetes-pf-flowschema-uid: ${schema?.metadata.uid ?? "none"}`);
    }
  });

  it("pass what `helm test` runs", async () => {
    const { objects } = await renderLandfall(values, { args: ["--show-only", "templates/lifecycle/test.yaml"] });
    for (const object of objects.filter(({ kind }) => kind !== "Pod")) await applyObject(plane.client, object);
    const doctor = await start("Pod landfall-doctor", 0);
    expect([await doctor.ended, await doctor.log()]).toEqual([
      0,
      expect.stringMatching(
        /ok {2}API server: shows the webhooks a certificate that is valid until \d{4}-\d\d-\d\d\nok {2}controller: \S+ leads, and changes releases by its worker\nok {2}versions: all processes run \S+\nok {2}rights: landfall-webhook has those of its role\nok {2}rights: landfall-composition has those of its role\n[^]*ok {2}admission: decided in \d+ ms; the API server shows its client certificate/,
      ),
    ]);
  });

  it("are not denied any right that they need", async () => {
    const logs = await Promise.all(pods.map((pod) => pod.log()));
    expect(logs.join("\n")).not.toMatch(/forbidden/i);
  });
});

describe("without a webhook", () => {
  beforeAll(async () => {
    await Promise.all(webhooks.map((pod) => pod.stop("SIGKILL")));
  });

  it("the API server refuses what would be decided", async () => {
    await expect(plane.client.create(VMS, machine("late")).catch(statusOf)).resolves.toContain(
      "failed calling webhook",
    );
    for (const metadata of [
      { labels: { team: "a" } },
      { annotations: { "landfall.dev/hold": "audit" } },
      { annotations: { "krateo.io/paused": "true" } },
      { annotations: { "cost.example/centre": "7" } },
      { finalizers: [] },
      { labels: { "krateo.io/release-name": null } },
    ])
      await expect(patch("web", metadata).catch(statusOf), JSON.stringify(metadata)).resolves.toContain(
        "failed calling webhook",
      );
  });

  it("controllers go on: Krateo's labels and annotations, finalizers of others, deletion", async () => {
    await patch("web", { labels: { "krateo.io/composition-version": "v0-2-0", "krateo.io/x": "1" } });
    await patch("web", { annotations: { "krateo.io/external-create-pending": "now" } });
    const { metadata } = (await vm("web")) as Resource;
    await patch("web", { finalizers: [...(metadata.finalizers ?? []), "example.com/wait"] });
    await patch("web", { finalizers: metadata.finalizers });
    await plane.client.remove(
      apiPath`/apis/${"composition.krateo.io"}/${"v0-2-0"}/namespaces/${"demo"}/vmtemplates/${"web"}`,
    );
    await vi.waitFor(async () => expect(await vm("web")).toBeNull(), { timeout: 60_000, interval: 500 });
  });
});

describe("an uninstallation", () => {
  it("removes the webhook configurations first, and a running webhook does not write them again", async () => {
    const webhook = await start("Deployment landfall-webhook", 2);
    await untilReady(webhook);
    const { objects } = await renderLandfall(values, { args: ["--show-only", "templates/lifecycle/unregister.yaml"] });
    for (const object of objects.filter(({ kind }) => kind !== "Job")) await applyObject(plane.client, object);
    const unregister = await start("Job landfall-unregister", 0);
    expect([await unregister.ended, await unregister.log()]).toEqual([
      0,
      expect.stringContaining("vmtemplates: 0 stay"),
    ]);
    expect(await plane.client.get(CONFIGURATION)).toBeNull();
    // It looks every five seconds.
    await vi.waitFor(async () => expect(await webhook.log()).toContain("the chart's release is being removed"), {
      timeout: 20_000,
    });
  });

  it("leaves CRDs and definitions, and nothing that refuses objects", async () => {
    const { output, failed } = await run("helm", "uninstall", "landfall", "-n", NAMESPACE, "--no-hooks");
    expect([failed, output]).toEqual([false, expect.stringContaining("kept due to the resource policy")]);
    const { output: left } = await run(
      "kubectl",
      "get",
      "clusterroles,deployments,flowschemas,priorityclasses,validatingadmissionpolicies,validatingadmissionpolicybindings",
      "-A",
      "-o",
      "name",
    );
    expect(
      left.split("\n").filter((name) => /landfall/.test(name) && !/simulators|unregister|doctor/.test(name)),
    ).toEqual([]);
    const { output: kept } = await run("kubectl", "get", "crds", "-o", "name");
    expect(kept).toContain("elementovms.elemento.landfall.dev");
    expect(
      (await plane.client.create<Resource>(VMS, machine("free"))).metadata.annotations?.["landfall.dev/decision"],
    ).toBeUndefined();
  });
});
