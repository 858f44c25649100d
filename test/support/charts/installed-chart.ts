// A control plane with the chart installed by the real helm, and processes as its Pods say.
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { assembleTree } from "../../../scripts/image/assemble-tree.ts";
import { aggregateRoles } from "../../../src/local/control-plane/aggregate-roles.ts";
import { applyObject } from "../../../src/local/control-plane/apply-object.ts";
import { type ControlPlane, startControlPlane } from "../../../src/local/control-plane/start-control-plane.ts";
import { publishBundle } from "../../../src/local/landfall/publish-bundle.ts";
import { publishCharts } from "../../../src/local/landfall/publish-charts.ts";
import type { PodSpec } from "../../../src/local/pods/pod-spec.ts";
import { projectPath } from "../../../src/local/processes/project-path.ts";
import type { KubernetesObject } from "../../../src/model/kubernetes.ts";
import { BASE_FOLDERS, type Surroundings } from "./pod-command.ts";
import { LANDFALL_CHART, type PodTemplate, podTemplates, renderLandfall } from "./render-landfall.ts";
import { ownAddress, type RunningPod, runPod } from "./run-pods.ts";

export const NAMESPACE = "landfall-system";

export interface InstalledChart {
  /** Folder for a test's files. */
  base: string;
  plane: ControlPlane;
  surroundings: Surroundings;
  values: Record<string, unknown>;
  templates: readonly PodTemplate[];
  pods: readonly RunningPod[];
  run: (program: "helm" | "kubectl", ...args: string[]) => Promise<{ output: string; failed: boolean }>;
  /** Installs the chart's release. Returns what helm said. */
  install: () => Promise<{ output: string; failed: boolean }>;
  /** Starts a Pod: `Deployment landfall-webhook`, its first replica. */
  start: (name: string, at: number) => Promise<RunningPod>;
  /** What the endpoint controllers would write for a replica. */
  announce: (name: string, pod: RunningPod, ready?: boolean) => Promise<void>;
  stop: () => Promise<void>;
}

/** `webhook`: values of the webhook. `apiServerFlags` may name files of the control plane's folder. */
export async function prepareChart(
  webhook: (plane: ControlPlane) => Promise<Record<string, unknown>>,
  apiServerFlags: (base: string) => Promise<Record<string, string>> = () => Promise.resolve({}),
): Promise<InstalledChart> {
  const base = await mkdtemp(join(tmpdir(), "landfall-install-"));
  const plane = await startControlPlane({
    ...{ dir: join(base, "plane"), env: process.env, landfall: false },
    // Services have no addresses that lead anywhere here: the API server calls their endpoints itself.
    apiServerFlags: { "enable-aggregator-routing": "true", ...(await apiServerFlags(base)) },
  });
  const [opa, crane, helm] = await Promise.all([plane.tool("opa"), plane.tool("crane"), plane.tool("helm")]);
  const worker = await plane.tool("helm-worker");
  const sources = { source: projectPath("policies/bundle"), catalog: projectPath("catalog") };
  await Promise.all(BASE_FOLDERS.map((name) => mkdir(join(base, "image", name), { recursive: true })));
  const [bundle] = await Promise.all([
    publishBundle(plane.stage, { opa, crane, ...sources, registry: Promise.resolve(plane.registry) }),
    publishCharts(plane.stage, { helm, charts: projectPath("charts"), registry: plane.registry }),
    assembleTree({
      out: join(base, "image"),
      programs: { node: process.execPath, "helm-worker": worker, crane },
    }),
  ]);
  const values = {
    image: { repository: "registry.example/landfall" },
    bundle: {
      ref: bundle.tag,
      settings: { keys: ["bundle.pub"] },
      keys: { "bundle.pub": await readFile(join(plane.stage.paths.root, "bundle.pub"), "utf8") },
    },
    registry: { plainHttp: true },
    webhook: await webhook(plane),
    charts: { repository: `oci://${plane.registry}/charts` },
  };
  return installed(base, plane, values);
}

async function installed(base: string, plane: ControlPlane, values: Record<string, unknown>): Promise<InstalledChart> {
  const templates = podTemplates((await renderLandfall(values)).objects);
  const pods: RunningPod[] = [];
  const run: InstalledChart["run"] = async (program, ...args) => {
    const env = { ...plane.stage.env, KUBECONFIG: plane.kubeconfig };
    const { all, failed } = await execa(await plane.tool(program), args, { env, all: true, reject: false });
    return { output: all, failed };
  };
  const server = await run("kubectl", "config", "view", "-o", "jsonpath={.clusters[0].cluster.server}");
  const url = server.output.split("\n")[0] ?? "";
  const surroundings: Surroundings = {
    ...{ client: plane.client, namespace: NAMESPACE, server: url },
    authority: plane.pki.files.authority,
    ...{ folder: join(base, "pods"), tree: join(base, "image"), path: process.env["PATH"] ?? "" },
    reaches: [url, `http://${plane.registry}`].map((address) => Number(new URL(address).port)),
  };
  return {
    ...{ base, plane, surroundings, values, templates, pods, run },
    async install() {
      const file = join(base, "values.yaml");
      await writeFile(file, JSON.stringify(values));
      const said = await run("helm", "install", "landfall", LANDFALL_CHART, "-n", NAMESPACE, "-f", file);
      // No controller manager runs here.
      await aggregateRoles(plane.client);
      // Helm makes the accounts of hooks when it runs them.
      const { objects } = await renderLandfall(values);
      for (const object of objects)
        if (object.kind === "ServiceAccount" && object.metadata.annotations !== undefined)
          await applyObject(plane.client, object);
      return said;
    },
    async start(name, at) {
      const spec = templates.find((one) => one.name === name)?.spec as unknown as PodSpec;
      const pod = await runPod(`${name.replace(/^\w+ /, "")}-${String(at)}`, spec, surroundings);
      pods.push(pod);
      return pod;
    },
    async announce(name, pod, ready = true) {
      await applyObject(plane.client, {
        ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: "IPv4" },
        metadata: { name, namespace: NAMESPACE, labels: { "kubernetes.io/service-name": "landfall-webhook" } },
        endpoints: [{ addresses: [ownAddress()], conditions: { ready } }],
        ports: [{ name: "https", port: pod.ports["https"], protocol: "TCP" }],
      } as KubernetesObject);
    },
    async stop() {
      await Promise.all(pods.map((pod) => pod.stop("SIGKILL")));
      await plane.stop();
      await rm(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
