// `helm upgrade` from the chart of an earlier commit (39d843e9: one webhook, no ledger, no draining) to the present one, with objects
// of the first version of the kinds present. The processes are those of this commit, started as the Deployments of each chart say.
import { type ChildProcess, spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { unpackChart } from "../../src/composition/chart/unpack-chart.ts";
import type { Crd } from "../../src/composition/definition/generate-crd.ts";
import { aggregateRoles } from "../../src/local/control-plane/aggregate-roles.ts";
import { WEBHOOK_CLIENT } from "../../src/local/control-plane/write-pki.ts";
import { publishCharts } from "../../src/local/landfall/publish-charts.ts";
import type { PodSpec } from "../../src/local/pods/pod-spec.ts";
import type { KubernetesObject, Resource } from "../../src/model/kubernetes.ts";
import { type InstalledChart, NAMESPACE, prepareChart } from "../support/charts/installed-chart.ts";
import { LANDFALL_CHART, type PodTemplate, podTemplates, renderLandfall } from "../support/charts/render-landfall.ts";
import { type RunningPod, runPod, untilReady } from "../support/charts/run-pods.ts";
import { type TextClient, textClient } from "../support/text-client.ts";
import { conditionOf, until } from "./composition/cluster-under-test.ts";
import { lasting, poolsOf } from "./composition/lasting.ts";

const GROUP = "composition.krateo.io";
const EARLIER_CHART = fileURLToPath(new URL("../fixtures/charts/landfall/landfall-39d843e9.tgz", import.meta.url));
/** The charts of the kinds, as the first version of the objects had them. */
const EARLIER = { vmtemplate: "vm-template-0.1.0.tgz", "kaas-cluster": "kaas-cluster-0.1.0.tgz" };
const PLACE = { provider: "azure", schedulingLocation: "italynorth" };
const OBJECTS = [
  ["vmtemplates", "VmTemplate", "kept-vm", { cpu: 2, memory: 4, ...PLACE }],
  ["kaasclusters", "KaasCluster", "kept-pools", { nodePools: [{ name: "a", count: 1, cpu: 2, memory: 4 }], ...PLACE }],
] as const;

let chart: InstalledChart;
let api: TextClient;
let earlierTemplates: readonly PodTemplate[];
const pods: RunningPod[] = [];
const watches: ChildProcess[] = [];
/** For each state of a webhook configuration: the length of the CA bundle of each webhook. */
const bundles: string[] = [];

const pathOf = (plural: string, version: string, name = "") =>
  `/apis/${GROUP}/${version}/namespaces/demo/${plural}${name === "" ? "" : `/${name}`}`;
const read = (plural: string, name: string, version = "v0-2-0") => api.get<Resource>(pathOf(plural, version, name));
const decisionOf = (object: Resource | null) => object?.metadata.annotations?.["landfall.dev/decision"];

const before = new Map<string, object>();

const installedBy = (plural: string, name: string, chartVersion: string, served: string) =>
  until(async () => {
    const object = await read(plural, name, served);
    const done = object?.status?.["helmChartVersion"] === chartVersion;
    return done && conditionOf(object, "Synced")?.reason === "ReconcileSuccess" && object;
  }, 180);

async function start(templates: readonly PodTemplate[], name: string, as: string): Promise<RunningPod> {
  const spec = templates.find((one) => one.name === name)?.spec as unknown as PodSpec;
  const pod = await runPod(as, spec, chart.surroundings);
  pods.push(pod);
  return pod;
}

/** Follows the configurations as they are written. */
async function watchBundles(resource: string): Promise<void> {
  const kubectl = await chart.plane.tool("kubectl");
  const template =
    '{{range .webhooks}}{{if .clientConfig.caBundle}}{{len .clientConfig.caBundle}}{{else}}none{{end}} {{end}}{{"\\n"}}';
  const args = ["--kubeconfig", chart.plane.kubeconfig, "get", resource, "--watch", "-o", `go-template=${template}`];
  const child = spawn(kubectl, args, { stdio: ["ignore", "pipe", "ignore"] });
  child.stdout.on("data", (data: Buffer) =>
    bundles.push(
      ...data
        .toString()
        .split("\n")
        .filter((line) => line.trim() !== ""),
    ),
  );
  watches.push(child);
}

interface Created {
  version: string;
  plural?: string;
  kind?: string;
  name: string;
  spec: object;
  query?: string;
}

/** Creates an object; a VmTemplate if no kind is named. */
const create = ({ version, plural = "vmtemplates", kind = "VmTemplate", name, spec, query = "" }: Created) =>
  api.create<Resource>(pathOf(plural, version) + query, {
    ...{ apiVersion: `${GROUP}/${version}`, kind, metadata: { name, namespace: "demo" }, spec },
  });
const DRY_RUN = "?dryRun=All";

async function valuesFile(name: string, values: object): Promise<string> {
  const file = join(chart.base, `${name}.json`);
  await writeFile(file, JSON.stringify(values));
  return file;
}

beforeAll(async () => {
  chart = await prepareChart(async ({ pki }) => ({
    clientCertificate: { ca: await readFile(pki.files.webhookClientAuthority, "utf8"), commonName: WEBHOOK_CLIENT },
  }));
  const { plane, base, values } = chart;
  api = textClient(plane.client);
  const earlier = join(base, "earlier");
  for (const [folder, file] of Object.entries(EARLIER))
    await unpackChart(await readFile(join("test/fixtures/charts/0.1.0", file)), join(earlier, folder), file);
  await publishCharts(plane.stage, { helm: await plane.tool("helm"), charts: earlier, registry: plane.registry });
  const charts = { ...(values["charts"] as object), vmTemplate: "0.1.0", kaasCluster: "0.1.0" };
  const earlierValues = { ...values, charts };
  earlierTemplates = podTemplates((await renderLandfall(earlierValues, { chart: EARLIER_CHART })).objects);
  const file = await valuesFile("earlier", earlierValues);
  const { output, failed } = await chart.run("helm", "install", "landfall", EARLIER_CHART, "-n", NAMESPACE, "-f", file);
  expect([failed, output]).toEqual([false, expect.stringContaining("REVISION: 1")]);
  await aggregateRoles(plane.client);
  const webhook = await start(earlierTemplates, "Deployment landfall-webhook", "earlier-webhook");
  const controller = await start(earlierTemplates, "Deployment landfall-controller", "earlier-controller");
  await Promise.all([webhook, controller].map((pod) => untilReady(pod)));
  await chart.announce("webhook", webhook);
  for (const [plural, kind, name, spec] of OBJECTS) {
    await until(async () => {
      const made = await create({ version: "v0-1-0", plural, kind, name, spec, query: DRY_RUN }).catch(() => null);
      return decisionOf(made) !== undefined;
    }, 120);
    await create({ version: "v0-1-0", plural, kind, name, spec });
  }
  for (const [plural, , name] of OBJECTS) {
    const object = await installedBy(plural, name, "0.1.0", "v0-1-0");
    before.set(name, lasting(object));
  }
  for (const resource of ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"])
    await watchBundles(resource);
}, 300_000);

afterAll(async () => {
  for (const child of watches) child.kill("SIGKILL");
  await Promise.all(pods.map((pod) => pod.stop("SIGKILL")));
  await chart.stop();
});

const keyOf = ({ apiVersion, kind, metadata }: KubernetesObject): string =>
  `${apiVersion} ${kind} ${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

async function manifest(revision: string): Promise<string[]> {
  const { output } = await chart.run("helm", "get", "manifest", "landfall", "-n", NAMESPACE, "--revision", revision);
  const objects = parseAllDocuments(output).map((document) => document.toJS() as KubernetesObject | null);
  return objects.flatMap((object) => (object === null ? [] : [keyOf(object)]));
}

describe("an upgrade of the chart from an earlier commit", () => {
  it("is one command, with server-side apply, and objects are decided meanwhile", async () => {
    const file = await valuesFile("present", chart.values);
    let going = true;
    const undecided: string[] = [];
    let asked = 0;
    const ask = async (): Promise<void> => {
      for (; going; asked += 1) {
        const made = await create({
          version: "v0-1-0",
          name: "meanwhile",
          spec: { cpu: 1, memory: 2 },
          query: DRY_RUN,
        });
        if (decisionOf(made) === undefined) undecided.push(JSON.stringify(made.metadata));
        await sleep(50);
      }
    };
    const asking = ask();
    const upgrade = await chart.run("helm", "upgrade", "landfall", LANDFALL_CHART, "-n", NAMESPACE, "-f", file);
    going = false;
    await asking;
    expect([upgrade.failed, upgrade.output]).toEqual([false, expect.stringContaining("REVISION: 2")]);
    expect([asked > 0, undecided]).toEqual([true, []]);
    const deployment = await api.get<Resource>(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments/landfall-webhook`);
    const fields = (deployment?.metadata as { managedFields?: { manager: string; operation: string }[] } | undefined)
      ?.managedFields;
    expect(fields?.map(({ manager, operation }) => `${manager} ${operation}`)).toContain("helm Apply");
  });

  it("renders each object once, and leaves none of the earlier chart that the present one does not have", async () => {
    const present = await manifest("2");
    expect(present.filter((one, at) => present.indexOf(one) !== at)).toEqual([]);
    const gone = (await manifest("1")).filter((one) => !present.includes(one));
    const { output } = await chart.run(
      "kubectl",
      "get",
      "all,configmaps,roles,rolebindings,networkpolicies",
      "-n",
      NAMESPACE,
      "-o",
      "name",
    );
    const names = output.split("\n").map((one) => one.replace(/^.*\//, ""));
    expect(gone.map((one) => one.replace(/^.*\//, "")).filter((name) => names.includes(name) && name !== "")).toEqual(
      [],
    );
    const crds = await api.get<{ items: Resource[] }>("/apis/apiextensions.k8s.io/v1/customresourcedefinitions");
    expect(crds?.items.map(({ metadata }) => metadata.name)).toContain("placementledgers.landfall.dev");
  });

  it("lets the processes of the present chart take over, replica by replica", async () => {
    await aggregateRoles(chart.plane.client);
    const [earlierWebhook, earlierController] = pods;
    for (const at of ["0", "1"]) {
      const webhook = await start(chart.templates, "Deployment landfall-webhook", `webhook-${at}`);
      await untilReady(webhook);
      await chart.announce(at === "0" ? "webhook" : "webhook-1", webhook);
    }
    await earlierWebhook?.stop();
    const controller = await start(chart.templates, "Deployment landfall-controller", "controller");
    await earlierController?.stop();
    await untilReady(controller);
    expect(await controller.isReady()).toBe(true);
  }, 180_000);

  it.each(OBJECTS.map(([plural, , name]) => ({ plural, name })))(
    "keeps $name as it was, under the present chart of its kind and in both served versions",
    async ({ plural, name }) => {
      const object = await installedBy(plural, name, "0.2.0", "v0-2-0");
      expect(lasting(object)).toEqual(before.get(name));
      // The first pool of AKS gets a resource of its own.
      expect(poolsOf(object)).toEqual(name === "kept-pools" ? ["kept-pools-a"] : []);
      const crd = await api.get<Crd>(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${GROUP}`);
      const served = crd?.spec.versions.filter((one) => one.served).map((one) => one.name);
      expect(served?.sort()).toEqual(["v0-1-0", "v0-2-0"]);
      expect((await read(plural, name, "v0-1-0"))?.spec).toEqual(object.spec);
    },
    200_000,
  );

  it("decides objects of both versions, and updates of those that were there", async () => {
    for (const version of ["v0-1-0", "v0-2-0"])
      expect(decisionOf(await create({ version, name: `new-${version}`, spec: { cpu: 1, memory: 2 } }))).toContain(
        '"place',
      );
    const patched = await api.patch<Resource>(pathOf("vmtemplates", "v0-2-0", "kept-vm"), "merge", {
      spec: { cpu: 4, memory: 8 },
    });
    expect(decisionOf(patched)).not.toEqual((before.get("kept-vm") as { decision: string }).decision);
    const impossible = { spec: { memory: 4_000_000 } };
    await expect(api.patch(pathOf("vmtemplates", "v0-2-0", "kept-vm"), "merge", impossible)).rejects.toMatchObject({
      detail: expect.stringContaining("[POL_FLAVOUR") as string,
    });
    const machines = await api.get<{ items: Resource[] }>(
      "/apis/compute.azure.com/v1api20220301/namespaces/demo/virtualmachines",
    );
    expect(machines?.items.filter(({ metadata }) => metadata.name === "kept-vm")).toHaveLength(1);
  });

  it("never had a webhook without a CA bundle", () => {
    expect(bundles.length).toBeGreaterThan(0);
    expect(bundles.filter((one) => one.includes("none"))).toEqual([]);
  });
});
