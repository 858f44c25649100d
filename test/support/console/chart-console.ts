import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { vi } from "vitest";
import { parse } from "yaml";
import { loadKubeconfig } from "../../../src/cluster/client/load-kubeconfig.ts";
import { freePorts } from "../../../src/local/processes/free-ports.ts";
import { projectPath } from "../../../src/local/processes/project-path.ts";
import {
  LANDFALL_CHART,
  type PodTemplate,
  podTemplates,
  type Rendered,
  renderLandfall,
} from "../charts/render-landfall.ts";

/** What browsers open. */
export const CONSOLE_ORIGIN = "https://landfall.example.org";

/** The chart takes a reference alone; the process takes a file as well. */
const REF = "registry.example/policies/landfall:1.0.0";

/** The Pod of the chart's console. `values`: of the console, besides its origin. */
export async function consolePod(values: object = {}): Promise<PodTemplate> {
  const minimal = parse(await readFile(join(LANDFALL_CHART, "ci/minimal-values.yaml"), "utf8")) as object;
  const { objects, error } = await renderLandfall({
    ...{ ...minimal, bundle: { ref: REF, unsigned: true } },
    console: { enabled: true, origin: CONSOLE_ORIGIN, ...values },
  });
  const pod = podTemplates(objects as readonly Rendered[]).find(({ name }) => name === "Deployment landfall-console");
  if (pod === undefined) throw new Error(error ?? "the chart has no console");
  return pod;
}

export interface ChartConsoleOptions {
  kubeconfig: string;
  /** File of the bundle that explains decisions. */
  bundle: string;
  /** Folder for the cluster's CA; has `tls.crt` and `tls.key` if the values name a Secret. */
  dir: string;
  values?: object;
}

export interface ChartConsole {
  port: number;
  /** All that it has written. */
  log(): string;
  stop(): Promise<void>;
}

/** Starts the console with the arguments of its Deployment, with ports and files of this machine, and nothing of a kubeconfig, as in a Pod. */
export async function startChartConsole(options: ChartConsoleOptions): Promise<ChartConsole> {
  const { kubeconfig, bundle, dir, values } = options;
  const [[port = 0, health = 0], { server, tls }, pod] = await Promise.all([
    freePorts(2),
    loadKubeconfig(kubeconfig, {}),
    consolePod(values),
  ]);
  await writeFile(join(dir, "ca.crt"), tls.ca ?? "");
  const args = ((pod.spec.containers[0]?.["args"] ?? []) as string[]).map((argument) =>
    argument
      .replace(REF, bundle)
      .replace(/\/etc\/landfall\/(?:cluster|tls)/, dir)
      .replace("=0.0.0.0", "=127.0.0.1")
      .replace("--port=8080", `--port=${String(port)}`)
      .replace("health-port=8081", `health-port=${String(health)}`),
  );
  const { hostname, port: apiPort } = new URL(server);
  const running: ChildProcess = spawn(process.execPath, args, {
    cwd: projectPath("."),
    env: {
      ...{ PATH: process.env["PATH"], HOME: process.env["HOME"] },
      ...{ KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: apiPort },
    },
  });
  let log = "";
  for (const stream of [running.stdout, running.stderr]) stream?.on("data", (part: Buffer) => (log += part.toString()));
  const isReady = async (): Promise<void> => {
    const { status } = await fetch(`http://127.0.0.1:${String(health)}/healthz`);
    if (status !== 200) throw new Error(log);
  };
  await vi.waitFor(isReady, { timeout: 120_000, interval: 300 }).catch((thrown: unknown) => {
    running.kill();
    throw thrown;
  });
  return {
    port,
    log: () => log,
    async stop() {
      const ended = once(running, "exit");
      running.kill();
      await ended;
    },
  };
}
