import type { KubeClient } from "../../cluster/client/create-client.ts";
import { applyObject } from "../control-plane/apply-object.ts";
import { type RenderedChart, renderChart } from "../pods/render-chart.ts";
import { type PodInput, startPod } from "../pods/start-pod.ts";
import { freePorts } from "../processes/free-ports.ts";
import type { Stage } from "../processes/launch.ts";
import { localValues, type LocalValuesInput } from "./local-values.ts";

/** Runs are deleted soon after their end: no one wants to watch for a quarter of an hour. */
const END_GRACE_SECONDS = 5;

const DEPLOYMENTS = {
  webhook: { deployment: "landfall-webhook", name: "webhook", client: "webhook" },
  composition: { deployment: "landfall-controller", name: "composition", client: "composition" },
  elemento: { deployment: "landfall-elemento", name: "elemento-operator", client: "elemento" },
} as const;

export interface PodsInput extends Omit<LocalValuesInput, "webhookPort"> {
  stage: Stage;
  client: KubeClient;
  programs: PodInput["programs"];
  /** How many seconds of a run that may pause take one second. */
  timeLapse: number;
  /** The program that calls helm in one process; null for a process for each call. */
  helmWorker: string | null;
}

export interface LandfallPods {
  /** Each starts a Pod of the chart, and resolves to its address when it is ready. */
  startWebhook: () => Promise<string>;
  startComposition: () => Promise<string>;
  startElemento: () => Promise<string>;
}

/**
 * - A controller that loses its Lease ends, and a kubelet starts it again. Here nothing would: a busy machine, or one that was suspended,
 *   would end local mode. No second controller runs.
 * - helm-worker has no release to download: local mode would need Go, and minutes, for its first start. It is used where it was built before.
 */
const WITHOUT = ["--leader-elect=", "--helm-worker="];

/** Options that the chart does not offer to its users. */
const onlyHere = ({ timeLapse, scan, helmWorker }: PodsInput): string[] => [
  ...(helmWorker === null ? [] : ["--helm-worker", helmWorker]),
  ...["--end-grace", String(END_GRACE_SECONDS), "--time-lapse", String(timeLapse)],
  // Without a webhook, nothing decides, and nothing scans.
  ...(scan ? [] : ["--allow-undecided"]),
];

/** Renders Landfall's chart for this machine, and applies what its Pods mount. Errors: TOOL_FAILED, LOCAL_APPLY. */
export async function preparePods(input: PodsInput): Promise<LandfallPods> {
  const { stage, client, programs } = input;
  const [webhookPort = 0, compositionPort = 0, elementoPort = 0] = await freePorts(3);
  const chart: RenderedChart = await renderChart(stage, programs.helm, await localValues({ ...input, webhookPort }));
  await Promise.all(chart.configMaps.map(async (one) => applyObject(client, one)));
  const start = async (name: keyof typeof DEPLOYMENTS, port: number, more: string[] = []): Promise<void> =>
    startPod(stage, { ...DEPLOYMENTS[name], chart, port, programs, without: WITHOUT, more });
  return {
    async startWebhook() {
      await start("webhook", webhookPort);
      return `https://127.0.0.1:${String(webhookPort)}`;
    },
    async startComposition() {
      await start("composition", compositionPort, onlyHere(input));
      return `http://127.0.0.1:${String(compositionPort)}`;
    },
    async startElemento() {
      await start("elemento", elementoPort);
      return `http://127.0.0.1:${String(elementoPort)}`;
    },
  };
}
