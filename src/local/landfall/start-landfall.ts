import { applyDefinitions, servedVersion } from "./apply-definitions.ts";
import { applyRights } from "./apply-rights.ts";
import { projectPath } from "../processes/project-path.ts";
import { localBundle, publishBundle, writeBundleSettings } from "./publish-bundle.ts";
import { publishCharts, type PublishedChart } from "./publish-charts.ts";
import {
  startControlPlane,
  type ControlPlane,
  type ControlPlaneOptions,
} from "../control-plane/start-control-plane.ts";
import { startElementoServices } from "./start-elemento-services.ts";
import { launch, type Stage } from "../processes/launch.ts";
import { type LandfallPods, preparePods } from "./start-pods.ts";
import { ANNOTATION, COMPOSITION_GROUP, type HelmBy } from "../../model/names.ts";
import { below, versionPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import type { KubernetesObject } from "../../model/kubernetes.ts";
import { cachedToolPath } from "../../toolchain/tool-path.ts";
import { waitUntil } from "../processes/wait-until.ts";

/**
 * Waits until the API server sends VmTemplates to the webhook: it learns of a new registration a moment after it is
 * written, and an object applied before would be left undecided. Asks by dry runs. Errors: LOCAL_NOT_READY.
 */
export async function awaitAdmission(client: KubeClient, version: string, log: string): Promise<void> {
  const apiVersion = `${COMPOSITION_GROUP}/${version}`;
  const metadata = { name: "landfall-probe", namespace: "default" };
  const body = { apiVersion, kind: "VmTemplate", metadata, spec: { cpu: 1, memory: 1 } };
  const path = below(versionPath(apiVersion), "namespaces", "default", "vmtemplates");
  await waitUntil({ what: "admission of VmTemplates", seconds: 60, log }, async () => {
    const { metadata: created } = await client.create<KubernetesObject>(path, body, { dryRun: "All" });
    return ANNOTATION.decision in (created.annotations ?? {});
  });
}

/** The chart whose kind is created in a dry run to find out whether the webhook is called. */
const PROBED_CHART = "vm-template";

export interface LandfallOptions extends ControlPlaneOptions {
  /** Which processes to start besides the control plane; all if it is omitted. */
  components?: readonly ("webhook" | "composition" | "simulators" | "elemento")[];
  /** Folder of charts; the project's own if it is omitted. */
  charts?: string;
  /** Folder of the catalog; the project's own if it is omitted. */
  catalog?: string;
  /** Folder of the policy bundle; the project's own if it is omitted. */
  policies?: string;
  /** File of forecast settings; climatology alone if it is omitted. */
  forecasts?: string;
  /** How much faster the simulated providers are than the usual 0.5–4 s. */
  speed?: number;
  /** How many seconds of a run that may pause take one second; 1 if it is omitted. */
  timeLapse?: number;
  /** Who changes releases; by default the worker if it was built before, since a build takes minutes. */
  helmBy?: HelmBy;
}

export interface Landfall extends ControlPlane {
  /** Reference of the bundle by digest; null without the webhook. */
  bundle: string | null;
  charts: PublishedChart[];
  /** Null without the webhook. */
  webhookUrl: string | null;
  /** The addresses of the health ports, which serve /metrics, by process. */
  healthUrls: Record<string, string>;
}

interface Controllers {
  charts: PublishedChart[];
  healthUrls: Record<string, string>;
}

type Components = NonNullable<LandfallOptions["components"]>;

interface Parts {
  plane: ControlPlane;
  components: Components;
  options: LandfallOptions;
  programs: Record<"helm" | "crane" | "opa", string>;
  pods: () => Promise<LandfallPods>;
}

async function startWebhookWithBundle({
  plane,
  options,
  programs,
  pods,
}: Parts): Promise<{ url: string; bundle: string }> {
  const { policies = projectPath("policies/bundle"), catalog = projectPath("catalog") } = options;
  const registry = Promise.resolve(plane.registry);
  const [{ startWebhook }, { ref }] = await Promise.all([
    pods(),
    publishBundle(plane.stage, { ...programs, source: policies, catalog, registry }),
  ]);
  plane.stage.report(`policy bundle ${ref}, signed`);
  return { url: await startWebhook(), bundle: ref };
}

/** Starts the simulators of the providers' operators. With a `speed` above 1 they are faster than real ones. */
async function startSimulators(stage: Stage, speed: number): Promise<void> {
  const entry = projectPath("src/local/simulators/main.ts");
  const args = [entry, "--kubeconfig", stage.paths.kubeconfigOf("simulators"), "--speed", String(speed)];
  // Objects wait for them as they would for a provider: no other process needs them to be ready.
  const ready = async (): Promise<boolean> => Promise.resolve(true);
  await launch(stage, { name: "simulators", command: process.execPath, args, layer: 2, ready });
}

async function startControllers({ plane, components, options, programs, pods }: Parts): Promise<Controllers> {
  const { stage, client, registry } = plane;
  const speed = options.speed ?? 1;
  const healthUrls: Record<string, string> = {};
  const startOperator = async (): Promise<void> => {
    const [{ startElemento }] = await Promise.all([pods(), startElementoServices(stage, client, speed)]);
    healthUrls["elemento"] = await startElemento();
  };
  const startController = async (): Promise<void> => {
    const { startComposition } = await pods();
    healthUrls["composition"] = await startComposition();
  };
  const providers = Promise.all([
    components.includes("simulators") ? startSimulators(stage, speed) : null,
    components.includes("elemento") ? startOperator() : null,
  ]);
  if (!components.includes("composition")) {
    await providers;
    return { charts: [], healthUrls };
  }
  const charts = options.charts ?? projectPath("charts");
  const [published] = await Promise.all([
    publishCharts(stage, { helm: programs.helm, charts, registry }),
    startController(),
    providers,
    applyRights(client, charts),
  ]);
  await applyDefinitions(client, published, stage.paths.log("composition"));
  stage.report(`charts ${published.map(({ name, version }) => `${name} ${version}`).join(", ")}`);
  return { charts: published, healthUrls };
}

/** The program that calls helm in one process; null for a process for each call. */
async function workerOf(plane: ControlPlane, { helmBy = "auto", env }: LandfallOptions): Promise<string | null> {
  if (helmBy === "program") return null;
  return helmBy === "worker" ? plane.tool("helm-worker") : cachedToolPath("helm-worker", { env });
}

/** The programs of Landfall, and its Pods: the chart is rendered for the first of them that is started. */
async function prepareParts(plane: ControlPlane, components: Components, options: LandfallOptions): Promise<Parts> {
  const { stage, client, registry, pki } = plane;
  const [helm, crane, opa] = await Promise.all([plane.tool("helm"), plane.tool("crane"), plane.tool("opa")]);
  const helmWorker = await workerOf(plane, options);
  const settings = await writeBundleSettings(stage);
  const prepare = async (): Promise<LandfallPods> =>
    preparePods({
      ...{ stage, client, registry, pki, programs: { helm, crane } },
      bundle: { tag: localBundle(registry), settings },
      forecasts: options.forecasts ?? null,
      timeLapse: options.timeLapse ?? 1,
      helmWorker,
      scan: components.includes("webhook"),
    });
  let pods: Promise<LandfallPods> | null = null;
  return { plane, components, options, programs: { helm, crane, opa }, pods: async () => (pods ??= prepare()) };
}

/**
 * A control plane with Landfall on it, ready for objects: the webhook is called, the kinds of the charts are served.
 * Errors: TOOL_…, LOCAL_…, BUNDLE_…; nothing is left running after one.
 */
export async function startLandfall(options: LandfallOptions): Promise<Landfall> {
  const components: Components = options.components ?? ["webhook", "composition", "simulators", "elemento"];
  const plane = await startControlPlane(options);
  const start = async (): Promise<Landfall> => {
    const parts = await prepareParts(plane, components, options);
    const [webhook, { charts, healthUrls }] = await Promise.all([
      components.includes("webhook") ? startWebhookWithBundle(parts) : null,
      startControllers(parts),
    ]);
    const probed = charts.find(({ name }) => name === PROBED_CHART);
    if (webhook && probed)
      await awaitAdmission(plane.client, servedVersion(probed.version), plane.stage.paths.log("webhook"));
    return { ...plane, charts, bundle: webhook?.bundle ?? null, webhookUrl: webhook?.url ?? null, healthUrls };
  };
  try {
    return await Promise.race([start(), plane.stage.supervisor.failed]);
  } catch (error) {
    await plane.stop();
    throw error;
  }
}
