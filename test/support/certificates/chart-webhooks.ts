// The chart with three replicas of the webhook on a real API server, and what tests of its certificates do to them.
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { apiPath } from "../../../src/cluster/api-path.ts";
import { ApiError } from "../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { WEBHOOK_CLIENT } from "../../../src/local/control-plane/write-pki.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { API_VERSION, CERTIFICATE_SECRET, ROTATE_CA } from "../../../src/model/names.ts";
import { fingerprintsIn } from "../../../webhook/certificates/authorities.ts";
import { readStored } from "../../../webhook/certificates/stored-certificate.ts";
import { bundleIn } from "../../../webhook/registration/configuration-fault.ts";
import { type InstalledChart, NAMESPACE, prepareChart } from "../charts/installed-chart.ts";
import { type RunningPod, untilReady } from "../charts/run-pods.ts";

export const SECRET = apiPath`/api/v1/namespaces/${NAMESPACE}/secrets/${CERTIFICATE_SECRET}`;
const VMS = apiPath`/apis/${"composition.krateo.io"}/${"v0-2-0"}/namespaces/${"demo"}/vmtemplates`;
export const CONFIGURATIONS = [
  apiPath`/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/placement.landfall.dev`,
  apiPath`/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/guard.landfall.dev`,
];
const REPLICAS = 3;
/** The chart's `webhook.preStopSeconds`, and the time after which an ended Pod runs again. */
const [PRE_STOP_MS, RESTARTED_MS] = [10_000, 3000] as const;

const machine = {
  ...{ apiVersion: API_VERSION, kind: "VmTemplate", metadata: { generateName: "load-", namespace: "demo" } },
  spec: { cpu: 2, memory: 4, provider: "azure" },
};

export interface Load {
  done: () => number;
  failures: string[];
  stop: () => Promise<void>;
}

/** Asks for admissions in dry runs, on so many connections at once, until it is stopped. */
export function startLoad(client: KubeClient, connections: number): Load {
  let [done, stopped] = [0, false];
  const failures: string[] = [];
  const loop = async (): Promise<void> => {
    while (!stopped) {
      try {
        await client.create(VMS, machine, { dryRun: "All" });
        done += 1;
      } catch (thrown) {
        failures.push(thrown instanceof ApiError ? thrown.detail : String(thrown));
        await sleep(50);
      }
    }
  };
  const loops = Promise.all(Array.from({ length: connections }, loop));
  return {
    ...{ done: () => done, failures },
    async stop() {
      stopped = true;
      await loops;
    },
  };
}

export interface ChartWebhooks {
  chart: InstalledChart;
  pods: readonly RunningPod[];
  /** One admission. Throws what the API server says. */
  admit: () => Promise<unknown>;
  /** `none` without a rotation. */
  step: () => Promise<string>;
  /** Replaces every Pod, one at a time, as an update does: the Service forgets it, it answers on for ten seconds, then it ends. */
  roll: () => Promise<void>;
  /** Asks for a new CA. */
  rotate: (reason: string) => Promise<unknown>;
  /** Waits until no CA is replaced and both configurations name the same single one. Returns its fingerprint. */
  untilSettled: (seconds?: number) => Promise<string>;
  stop: () => Promise<void>;
}

/** Only ready Pods get requests, as the endpoint controller has it. Returns a function that ends it. */
function announceReady(
  chart: InstalledChart,
  pods: readonly RunningPod[],
  leaving: ReadonlySet<RunningPod>,
): () => Promise<void> {
  let stopped = false;
  const known = new Map<RunningPod, boolean>();
  const run = async (): Promise<void> => {
    while (!stopped) {
      for (const [at, pod] of pods.entries()) {
        const ready = !leaving.has(pod) && (await pod.isReady());
        if (known.get(pod) !== ready) await chart.announce(`webhook-${String(at)}`, pod, ready);
        known.set(pod, ready);
      }
      await sleep(250);
    }
  };
  const running = run();
  return async () => {
    stopped = true;
    await running;
  };
}

/** Installs the chart and starts three webhooks and the controller. */
export async function startChartWebhooks(): Promise<ChartWebhooks> {
  const chart = await prepareChart(async ({ pki }) => ({
    ...{ replicas: REPLICAS, allowSelectors: true },
    clientCertificate: { ca: await readFile(pki.files.webhookClientAuthority, "utf8"), commonName: WEBHOOK_CLIENT },
  }));
  const { client } = chart.plane;
  const { failed, output } = await chart.install();
  if (failed) throw new TypeError(output);
  const starts = Array.from({ length: REPLICAS }, (_, at) => chart.start("Deployment landfall-webhook", at));
  const pods = await Promise.all(starts);
  const controller = await chart.start("Deployment landfall-controller", 0);
  await Promise.all([...pods, controller].map((pod) => untilReady(pod)));
  const leaving = new Set<RunningPod>();
  const unannounce = announceReady(chart, pods, leaving);
  const admit = () => client.create(VMS, machine, { dryRun: "All" });
  const step = async (): Promise<string> => {
    const secret = await client.get<Resource>(SECRET);
    return secret === null ? "deleted" : (readStored(secret, SECRET).rotation?.step ?? "none");
  };
  const bundles = async (): Promise<string[][]> =>
    Promise.all(CONFIGURATIONS.map(async (path) => fingerprintsIn(bundleIn(await client.get<Resource>(path)) ?? "")));
  async function until<T>(what: string, seconds: number, look: () => Promise<T | null>): Promise<T> {
    const end = performance.now() + seconds * 1000;
    for (;;) {
      const found = await look().catch(() => null);
      if (found !== null) return found;
      if (performance.now() > end) {
        const logs = await Promise.all(pods.map((pod) => pod.log()));
        throw new TypeError(`${what}:\n${logs.map((log) => log.slice(-1500)).join("\n---\n")}`);
      }
      await sleep(200);
    }
  }
  await until("no admission", 120, async () => (await admit()) ?? null);
  return {
    ...{ chart, pods, admit, step },
    async roll() {
      for (const pod of pods) {
        leaving.add(pod);
        await sleep(PRE_STOP_MS);
        process.kill(pod.pid(), "SIGTERM");
        // The runner starts it again after a second.
        await sleep(RESTARTED_MS);
        await untilReady(pod);
        leaving.delete(pod);
        await sleep(RESTARTED_MS);
      }
    },
    rotate: (reason) => client.patch(SECRET, "merge", { metadata: { annotations: { [ROTATE_CA]: reason } } }),
    untilSettled: async (seconds = 120) =>
      until("the CA is not settled", seconds, async () => {
        const [first = [], second = []] = await bundles();
        const one = first.length === 1 && second.length === 1 && first[0] === second[0];
        return one && (await step()) === "none" ? (first[0] ?? null) : null;
      }),
    async stop() {
      await unannounce();
      await chart.stop();
    },
  };
}
