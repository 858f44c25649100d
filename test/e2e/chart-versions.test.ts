import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stringify } from "yaml";
import { unpackChart } from "../../src/composition/chart/unpack-chart.ts";
import type { Crd } from "../../src/composition/definition/generate-crd.ts";
import type { Resource } from "../../src/composition/types.ts";
import { applyDefinitions } from "../../src/local/landfall/apply-definitions.ts";
import { publishCharts } from "../../src/local/landfall/publish-charts.ts";
import { startLandfall, type Landfall } from "../../src/local/landfall/start-landfall.ts";
import { createClient, type KubeClient } from "../../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../../src/cluster/client/load-kubeconfig.ts";
import { textClient, type TextClient } from "../support/text-client.ts";
import { conditionOf, until } from "./composition/cluster-under-test.ts";
import { lasting, poolsOf } from "./composition/lasting.ts";

const run = promisify(execFile);
const GROUP = "composition.krateo.io";
/** The charts as they were released with version 0.1.0 of the objects. */
const EARLIER = { vmtemplate: "vm-template-0.1.0.tgz", "kaas-cluster": "kaas-cluster-0.1.0.tgz" };
const PLACE = { provider: "azure", schedulingLocation: "italynorth" };

let base: string;
let landfall: Landfall;
let api: TextClient & KubeClient;
let kubectl: string;

const pathOf = (plural: string, name: string, version: string) =>
  `/apis/${GROUP}/${version}/namespaces/default/${plural}/${name}`;
const read = (plural: string, name: string, version = "v0-2-0") => api.get<Resource>(pathOf(plural, name, version));

async function kubectlApply(version: string, kind: string, name: string, spec: object): Promise<string> {
  const file = join(base, `${name}.yaml`);
  const metadata = { name, namespace: "default" };
  await writeFile(file, stringify({ apiVersion: `${GROUP}/${version}`, kind, metadata, spec }));
  return (await run(kubectl, ["--kubeconfig", landfall.kubeconfig, "apply", "-f", file])).stdout.trim();
}

async function columns(resource: string, name: string): Promise<string> {
  const args = ["--kubeconfig", landfall.kubeconfig, "get", resource, name, "-n", "default", "--no-headers"];
  return (await run(kubectl, args)).stdout;
}

const installedBy = (plural: string, name: string, chartVersion: string) =>
  until(async () => {
    const [served] =
      (await api.get<Crd>(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${GROUP}`))?.spec
        .versions ?? [];
    const object = await read(plural, name, served?.name);
    const done = object?.status?.["helmChartVersion"] === chartVersion;
    return done && conditionOf(object, "Synced")?.reason === "ReconcileSuccess" && object;
  }, 120);

const VM = { cpu: 2, memory: 4, ...PLACE };
const CLUSTER = { nodePools: [{ name: "a", count: 1, cpu: 2, memory: 4 }], ...PLACE };
const before: Resource[] = [];

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-versions-"));
  const earlier = join(base, "earlier");
  await mkdir(earlier);
  for (const [folder, file] of Object.entries(EARLIER)) {
    await unpackChart(await readFile(join("test/fixtures/charts/0.1.0", file)), join(earlier, folder), file);
  }
  const components = ["webhook", "composition"] as const;
  landfall = await startLandfall({ dir: join(base, "plane"), env: process.env, components, charts: earlier });
  api = textClient(createClient(await loadKubeconfig(landfall.kubeconfig, {})));
  kubectl = await landfall.tool("kubectl");
  await kubectlApply("v0-1-0", "VmTemplate", "earlier", VM);
  await kubectlApply("v0-1-0", "KaasCluster", "pools", CLUSTER);
  before.push(await installedBy("vmtemplates", "earlier", "0.1.0"));
  before.push(await installedBy("kaasclusters", "pools", "0.1.0"));
  const helm = await landfall.tool("helm");
  const charts = await publishCharts(landfall.stage, { helm, charts: "charts", registry: landfall.registry });
  await applyDefinitions(landfall.client, charts, landfall.stage.paths.log("composition"));
});

afterAll(async () => {
  await api.close();
  await landfall.stop();
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

it.each([
  ["vmtemplates", "earlier", []],
  ["kaasclusters", "pools", ["pools-a"]],
])("%s of chart 0.1.0 continue under 0.2.0", async (plural, name, pools) => {
  const object = await installedBy(plural, name, "0.2.0");
  const was = before.find(({ metadata }) => metadata.name === name);
  expect(object.spec).toMatchObject(PLACE);
  expect(lasting(object)).toEqual(was && lasting(was));
  // The first pool of AKS gets a resource of its own.
  expect(poolsOf(object)).toEqual(pools);
  expect(object.metadata.labels?.["krateo.io/composition-version"]).toBe("v0-2-0");
});

it("re-applied manifests of v0-1-0 change nothing", async () => {
  await installedBy("vmtemplates", "earlier", "0.2.0");
  expect(await kubectlApply("v0-1-0", "VmTemplate", "earlier", VM)).toMatch(/ unchanged$/);
  expect(await kubectlApply("v0-1-0", "KaasCluster", "pools", CLUSTER)).toMatch(/ unchanged$/);
});

it("kubectl gets both versions of both kinds", async () => {
  for (const [plural, name] of [
    ["vmtemplates", "earlier"],
    ["kaasclusters", "pools"],
  ] as const) {
    for (const resource of [plural, `${plural}.v0-1-0.${GROUP}`, `${plural}.v0-2-0.${GROUP}`]) {
      expect(await columns(resource, name)).toMatch(/^[a-z]+ +azure +italynorth /);
    }
  }
});

it("fields of v0-2-0 survive what clients of v0-1-0 write", async () => {
  const waits = { maxWait: "12h", waitingCostPercent: 5 };
  await kubectlApply("v0-2-0", "VmTemplate", "waits", { ...VM, ...waits });
  // The controller writes at the same time.
  await until(async () => {
    const old = await read("vmtemplates", "waits", "v0-1-0");
    const metadata = { ...old?.metadata, labels: { ...old?.metadata.labels, team: "a" } };
    return api.replace(pathOf("vmtemplates", "waits", "v0-1-0"), { ...old, metadata });
  });
  await api.patch(`${pathOf("vmtemplates", "waits", "v0-1-0")}/status`, "merge", { status: { helmChartUrl: "x" } });
  const now = await read("vmtemplates", "waits");
  expect(now?.metadata.labels).toMatchObject({ team: "a" });
  expect(now?.spec).toMatchObject(waits);
});
