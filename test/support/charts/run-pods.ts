// Starts what the Pods of a chart say, in place of the kubelet: with their ServiceAccounts (tokens of the API server), ConfigMaps,
// Secrets, arguments, environment and probes. Ports differ, and without root also paths.
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { openSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { apiPath } from "../../../src/cluster/api-path.ts";
import { freePorts } from "../../../src/local/processes/free-ports.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import type { PodSpec } from "../../../src/local/pods/pod-spec.ts";
import { isReady } from "../../../src/local/pods/probe-container.ts";
import { hasOwnNetworks, openNetwork } from "./own-network.ts";
import { podCommand, type Surroundings } from "./pod-command.ts";
import { kubeconfigText } from "../kubeconfig.ts";

/** A kubelet starts a container again that ends. */
const RESTART_MS = 1000;

export interface RunningPod {
  /** Of the containers' ports by their names. */
  ports: Readonly<Record<string, number>>;
  log: () => Promise<string>;
  pid: () => number;
  /** Whether the readiness probe succeeds. */
  isReady: () => Promise<boolean>;
  /** The exit code of the last container. */
  ended: Promise<number | null>;
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** An address of this machine that the API server takes for an endpoint: it refuses the loopback address. */
export function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const found = all.find(({ family, internal }) => family === "IPv4" && !internal);
  if (found === undefined) throw new TypeError("this machine has no IPv4 address besides the loopback one");
  return found.address;
}

/** The token of the Pod's ServiceAccount, as a kubelet mounts it, and a kubeconfig with it. */
async function writeAccess(
  folder: string,
  name: string,
  { client, namespace, server, authority }: Surroundings,
): Promise<void> {
  const path = apiPath`/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const { status } = await client.create<Resource>(path, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: {},
  });
  await writeFile(join(folder, "token"), String(status?.["token"]));
  const cluster = { server, "certificate-authority": authority };
  const config = kubeconfigText(cluster, { tokenFile: join(folder, "token") }, namespace);
  await writeFile(join(folder, "kubeconfig"), config);
  await writeFile(join(folder, "namespace"), namespace);
}

/** The files of a ConfigMap or Secret. */
async function filesOf(
  volume: PodSpec["volumes"][number],
  { client, namespace }: Surroundings,
): Promise<[string, Buffer][]> {
  const { configMap, secret } = volume;
  const path = configMap
    ? apiPath`/api/v1/namespaces/${namespace}/configmaps/${configMap.name}`
    : apiPath`/api/v1/namespaces/${namespace}/secrets/${secret?.secretName ?? ""}`;
  const object = await client.get<Resource>(path);
  if (object === null) throw new TypeError(`there is no ${path}, which a Pod mounts`);
  const encoding = secret ? "base64" : "utf8";
  return Object.entries(object.data ?? {}).map(([key, value]) => [key, Buffer.from(String(value), encoding)]);
}

async function mountVolumes(folder: string, spec: PodSpec, surroundings: Surroundings): Promise<void> {
  for (const { name, mountPath } of spec.containers[0]?.volumeMounts ?? []) {
    const target = join(folder, mountPath);
    await mkdir(target, { recursive: true });
    const volume = spec.volumes.find((one) => one.name === name);
    if (volume === undefined) throw new TypeError(`there is no volume ${name}`);
    const files = volume.emptyDir === undefined ? await filesOf(volume, surroundings) : [];
    for (const [key, content] of files) await writeFile(join(target, key), content);
  }
}

/** Starts the Pod's container. `name` is unique among the Pods of the folder. */
export async function runPod(name: string, spec: PodSpec, surroundings: Surroundings): Promise<RunningPod> {
  const [container] = spec.containers;
  if (container === undefined) throw new TypeError(`${name} has no container`);
  const folder = join(surroundings.folder, name);
  await mkdir(join(folder, "tmp"), { recursive: true });
  await mountVolumes(folder, spec, surroundings);
  await writeAccess(folder, spec.serviceAccountName, surroundings);
  const free = await freePorts(container.ports?.length ?? 0);
  const ports = Object.fromEntries((container.ports ?? []).map((one, at) => [one.name, free[at] ?? 0]));
  const { reaches } = surroundings;
  const network = hasOwnNetworks()
    ? await openNetwork({ address: ownAddress(), ports: Object.values(ports), reaches })
    : null;
  const input = { container, pod: name, folder, ports, surroundings, network };
  const { program, args, cwd, env } = await podCommand(input);
  const logFile = join(folder, "log");
  const output = openSync(logFile, "a");
  const options: SpawnOptions = { cwd, env, stdio: ["ignore", output, output] };
  const end = Promise.withResolvers<number | null>();
  let stopped = false;
  let child: ChildProcess;
  const launch = (): void => {
    child = spawn(program, args, options);
    child.once("close", (code) => {
      if (stopped || spec.restartPolicy === "Never")
        void Promise.resolve(network?.close()).then(() => end.resolve(code));
      else setTimeout(launch, RESTART_MS);
    });
  };
  launch();
  return {
    ...{ ports, ended: end.promise },
    log: () => readFile(logFile, "utf8"),
    pid: () => child.pid ?? 0,
    isReady: () => isReady(container, { host: ownAddress(), ports }),
    stop: async (signal = "SIGTERM") => {
      stopped = true;
      if (child.exitCode !== null || child.signalCode !== null) end.resolve(child.exitCode);
      else child.kill(signal);
      const code = await end.promise;
      await network?.close();
      return code;
    },
  };
}

/** Waits until a Pod is ready; fails with its log. */
export async function untilReady(pod: RunningPod, seconds = 90): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!(await pod.isReady())) {
    if (performance.now() > end) throw new TypeError(`a Pod is not ready:\n${(await pod.log()).slice(-3000)}`);
    await sleep(200);
  }
}
