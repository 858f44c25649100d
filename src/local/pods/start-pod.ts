import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "../control-plane/write-pki.ts";
import { LandfallError } from "../../errors.ts";
import { launch, type Stage } from "../processes/launch.ts";
import { projectPath } from "../processes/project-path.ts";
import { commandOf, environmentOf, withPaths } from "./container-command.ts";
import type { PodSpec } from "./pod-spec.ts";
import { isReady } from "./probe-container.ts";
import type { RenderedChart } from "./render-chart.ts";
import { textOf } from "../../model/json.ts";

const HOST = "127.0.0.1";

export interface PodInput {
  chart: RenderedChart;
  /** The Deployment's name. */
  deployment: string;
  /** The process's name in messages and log files. */
  name: string;
  /** Whose kubeconfig it gets: a certificate with the name of the Pod's ServiceAccount. */
  client: Client;
  /** Port of this machine for the container's only one. */
  port: number;
  programs: Readonly<Record<"helm" | "crane", string>>;
  /** Beginnings of arguments that are omitted. */
  without?: readonly string[];
  /** Arguments that only local mode needs, so that the chart does not offer them. */
  more?: readonly string[];
}

/** Writes the files of the ConfigMaps that the Pod mounts. Returns the paths of its volumes here. */
async function mountVolumes(stage: Stage, { chart, name }: PodInput, spec: PodSpec): Promise<[string, string][]> {
  const mounts = spec.containers[0]?.volumeMounts ?? [];
  return Promise.all(
    mounts.map(async ({ name: volume, mountPath }): Promise<[string, string]> => {
      const configMap = spec.volumes.find((one) => one.name === volume)?.configMap?.name;
      if (configMap === undefined) return [mountPath, stage.paths.data(name)];
      const folder = join(stage.paths.root, "mounted", name, volume);
      await mkdir(folder, { recursive: true });
      const data = chart.configMaps.find(({ metadata }) => metadata.name === configMap)?.data ?? {};
      for (const [file, text] of Object.entries(data)) await writeFile(join(folder, file), textOf(text));
      return [mountPath, folder];
    }),
  );
}

/**
 * Starts what a Deployment of the chart says, in place of a kubelet: its command, arguments, environment, ConfigMaps and readiness probe.
 * Ports, addresses and paths are those of this machine. Its Secrets are read and made through the API server, as in a cluster.
 * Errors: LOCAL_PROCESS_DIED, LOCAL_NOT_READY.
 */
export async function startPod(stage: Stage, input: PodInput): Promise<void> {
  const { deployment, name, client, port, programs, without = [], more = [] } = input;
  const spec = input.chart.pods.get(deployment);
  const [container] = spec?.containers ?? [];
  if (spec === undefined || container === undefined)
    throw new LandfallError("LOCAL_PROCESS_DIED", {
      process: name,
      detail: "the chart has no such Pod",
      log: deployment,
    });
  await mkdir(stage.paths.data(name), { recursive: true });
  const paths: [string, string][] = [
    ["/usr/local/bin/node", process.execPath],
    ...Object.entries(programs).map(([program, path]): [string, string] => [`/usr/local/bin/${program}`, path]),
    // Nothing from outside reaches these processes.
    ["0.0.0.0", HOST],
    ...(await mountVolumes(stage, input, spec)),
  ];
  const here = (text: string): string => withPaths(text, paths);
  const ports = Object.fromEntries((container.ports ?? []).map((one) => [one.name, port]));
  const own = { container, pod: name, ports };
  const kept = commandOf(own).filter((text) => !without.some((one) => text.startsWith(one)));
  const [command = "", ...args] = kept.map(here);
  const entries = Object.entries(environmentOf(own)).map(([key, value]) => [key, here(value)] as const);
  // The cache of compiled code is shared with other starts: Node takes a second longer without it.
  const { NODE_COMPILE_CACHE: _, ...env } = Object.fromEntries(entries);
  await launch(stage, {
    ...{ name, command, cwd: projectPath("."), layer: 2 as const },
    args: [...args, "--kubeconfig", stage.paths.kubeconfigOf(client), ...more],
    env: { ...stage.env, ...env },
    ready: () => isReady(container, { host: HOST, ports }),
  });
}
