// A real API server, and several webhooks behind one address: each connection of the API server goes to the next one.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { apiPath } from "../../../src/cluster/api-path.ts";
import { generateCrd } from "../../../src/composition/definition/generate-crd.ts";
import type { Schema } from "../../../src/composition/definition/convert-schema.ts";
import { applyObject } from "../../../src/local/control-plane/apply-object.ts";
import { type ControlPlane, startControlPlane } from "../../../src/local/control-plane/start-control-plane.ts";
import { WEBHOOK_CLIENT } from "../../../src/local/control-plane/write-pki.ts";
import { awaitAdmission } from "../../../src/local/landfall/start-landfall.ts";
import { freePorts } from "../../../src/local/processes/free-ports.ts";
import { projectPath } from "../../../src/local/processes/project-path.ts";
import { waitUntil } from "../../../src/local/processes/wait-until.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { changedBundle } from "../bundles/watched-bundle.ts";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";
import { type Spread, spreadConnections } from "./spread-connections.ts";
import { kubeconfigText } from "../kubeconfig.ts";

export const SYSTEM = "landfall-system";

export interface Replicas {
  plane: ControlPlane;
  proxy: FaultProxy;
  spread: Spread;
  /** Of the webhooks, in the order of their numbers. */
  ports: readonly number[];
  /** Ends a replica without warning. */
  kill: (index: number) => Promise<void>;
  /** Starts it, and waits until it is ready. */
  start: (index: number) => Promise<void>;
  log: (index: number) => Promise<string>;
  /** Of a metric, summed over its labels that match and all replicas. */
  metric: (pattern: RegExp) => Promise<number>;
  stop: () => Promise<void>;
}

export interface ReplicaOptions {
  count: number;
  budgets: Record<string, unknown>;
  /** Without it, each webhook knows its own reservations alone. */
  ledger?: boolean;
  /** Without it, webhooks call the API server themselves, and faults have no effect. */
  proxied?: boolean;
}

const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });

async function bundleFile(base: string, budgets: Record<string, unknown>): Promise<string> {
  const file = join(base, "bundle.tar.gz");
  const bytes = await changedBundle((data) => {
    const { schedule, ...settings } = data.landfall["settings"] as { schedule: { budgets: object } };
    data.landfall["settings"] = {
      ...settings,
      schedule: { ...schedule, budgets: { ...schedule.budgets, ...budgets } },
    };
  });
  await writeFile(file, bytes);
  return file;
}

/** A kubeconfig of the webhook's ServiceAccount, with the chart's own role. */
async function writeAccess(
  plane: ControlPlane,
  cluster: { server: string; "certificate-authority"?: string },
  file: string,
): Promise<void> {
  const path = apiPath`/api/v1/namespaces/${SYSTEM}/serviceaccounts/landfall-webhook/token`;
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const { status } = await plane.client.create<Resource>(path, body);
  await writeFile(file, kubeconfigText(cluster, { token: String(status?.["token"]) }));
}

const serverOf = async (kubeconfig: string): Promise<string> =>
  /server: (\S+)/.exec(await readFile(kubeconfig, "utf8"))?.[1] ?? "";

/** Starts `count` webhooks that decide with these budgets, with one certificate and one set of keys. */
export async function startReplicas({
  count,
  budgets,
  ledger = true,
  proxied = true,
}: ReplicaOptions): Promise<Replicas> {
  const base = await mkdtemp(join(tmpdir(), "landfall-replicas-"));
  const plane = await startControlPlane({ dir: join(base, "plane"), env: process.env });
  const schema = JSON.parse(await readFile(projectPath("charts/vmtemplate/values.schema.json"), "utf8")) as Schema;
  await applyObject(plane.client, generateCrd({ schema, chartName: "vm-template", chartVersion: "0.2.0" }));
  const [server, { authority }] = [await serverOf(plane.kubeconfig), plane.pki.files];
  const proxy = await startFaultProxy(server, await readFile(authority, "utf8"));
  const [kubeconfig, bundle] = [join(base, "kubeconfig"), await bundleFile(base, budgets)];
  await writeAccess(
    plane,
    proxied ? { server: proxy.url } : { server, "certificate-authority": authority },
    kubeconfig,
  );
  const ports = await freePorts(count);
  const spread = await spreadConnections(ports);
  const processes: (ChildProcess | undefined)[] = [];
  const logOf = (index: number): string => join(base, `webhook-${String(index)}.log`);

  async function start(index: number): Promise<void> {
    const port = String(ports[index]);
    const dataDir = join(base, `data-${String(index)}`);
    await mkdir(dataDir, { recursive: true });
    const args = [
      ...[projectPath("webhook/main.ts"), "--port", port, "--kubeconfig", kubeconfig, "--data-dir", dataDir],
      ...["--bundle", bundle, "--unsigned", "--register", "--url", `https://127.0.0.1:${String(spread.port)}`],
      ...["--tls-secret", "landfall-webhook-tls", "--system-namespace", SYSTEM],
      ...["--client-ca", plane.pki.files.webhookClientAuthority, "--client-name", WEBHOOK_CLIENT],
      ...(ledger ? ["--ledger"] : []),
    ];
    const output = openSync(logOf(index), "a");
    processes[index] = spawn(process.execPath, args, { env: plane.stage.env, stdio: ["ignore", output, output] });
    await waitUntil({ what: `webhook ${String(index)}`, seconds: 90, log: logOf(index) }, async () => {
      const { statusCode, body } = await request(`https://127.0.0.1:${port}/readyz`, { dispatcher });
      await body.dump();
      return statusCode === 200;
    });
  }

  async function kill(index: number): Promise<void> {
    const child = processes[index];
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  // One after the other: a webhook that registers in the same moment as another one can end, and no kubelet starts it again here.
  for (const index of ports.keys()) await start(index);
  await awaitAdmission(plane.client, "v0-2-0", logOf(0));
  return {
    ...{ plane, proxy, spread, ports, kill, start },
    log: (index) => readFile(logOf(index), "utf8"),
    async metric(pattern) {
      const pages = await Promise.all(
        ports.map(async (port) =>
          (await request(`https://127.0.0.1:${String(port)}/metrics`, { dispatcher })).body.text(),
        ),
      );
      const lines = pages.flatMap((page) => page.split("\n")).filter((line) => pattern.test(line));
      return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
    },
    async stop() {
      await Promise.all(ports.map((_, index) => kill(index)));
      spread.stop();
      proxy.stop();
      await plane.stop();
      await rm(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
