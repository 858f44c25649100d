// Starts what the Pods of a chart say, in place of the kubelet: with their ServiceAccounts (tokens of the API server), ConfigMaps,
// Secrets, arguments, environment and probes. Paths and ports are the only things that differ.
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { openSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { stringify } from "yaml";
import { apiPath } from "../../src/cluster/api-path.ts";
import type { KubeClient } from "../../src/cluster/create-client.ts";
import { freePorts } from "../../src/local/processes/free-ports.ts";
import type { Resource } from "../../src/model/kubernetes.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Probe {
  httpGet: { path: string; port: string; scheme?: "HTTP" | "HTTPS" };
}

/** A kubelet starts a container again that ends. */
const RESTART_MS = 1000;

export interface PodSpec {
  restartPolicy?: "Never";
  serviceAccountName: string;
  volumes: { name: string; configMap?: { name: string }; secret?: { secretName: string }; emptyDir?: object }[];
  containers: {
    name: string;
    workingDir: string;
    command: string[];
    args: string[];
    env: { name: string; value: string }[];
    ports?: { name: string; containerPort: number }[];
    volumeMounts: { name: string; mountPath: string }[];
    readinessProbe?: Probe;
    livenessProbe?: Probe;
  }[];
}

export interface Surroundings {
  /** The administrator's. */
  client: KubeClient;
  namespace: string;
  server: string;
  /** File of the API server's CA. */
  authority: string;
  /** An empty folder for the files of Pods. */
  folder: string;
  /** Program of the image, by its path there, and where it is here. */
  programs: Readonly<Record<string, string>>;
  path: string;
}

export interface RunningPod {
  /** Of the containers' ports by their names. */
  ports: Readonly<Record<string, number>>;
  log: () => Promise<string>;
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

/** The kubeconfig takes the place of the token that a kubelet mounts. */
async function writeAccess(
  folder: string,
  name: string,
  { client, namespace, server, authority }: Surroundings,
): Promise<string> {
  const path = apiPath`/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const { status } = await client.create<Resource>(path, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: {},
  });
  await writeFile(join(folder, "token"), String(status?.["token"]));
  const config = {
    ...{ apiVersion: "v1", kind: "Config", "current-context": "pod" },
    clusters: [{ name: "pod", cluster: { server, "certificate-authority": authority } }],
    users: [{ name: "pod", user: { tokenFile: join(folder, "token") } }],
    contexts: [{ name: "pod", context: { cluster: "pod", user: "pod", namespace } }],
  };
  const file = join(folder, "kubeconfig");
  await writeFile(file, stringify(config));
  return file;
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

const insecure = new Agent({ connect: { rejectUnauthorized: false } });

async function probe(ports: Readonly<Record<string, number>>, { httpGet }: Probe): Promise<boolean> {
  const { path, port, scheme = "HTTP" } = httpGet;
  const url = `${scheme.toLowerCase()}://${ownAddress()}:${String(ports[port])}${path}`;
  try {
    const { statusCode, body } = await request(url, { dispatcher: insecure });
    await body.dump();
    return statusCode >= 200 && statusCode < 400;
  } catch {
    return false;
  }
}

/** Starts the Pod's container. `name` is unique among the Pods of the folder. */
export async function runPod(name: string, spec: PodSpec, surroundings: Surroundings): Promise<RunningPod> {
  const [container] = spec.containers;
  if (container === undefined) throw new TypeError(`${name} has no container`);
  const folder = join(surroundings.folder, name);
  await mkdir(join(folder, "tmp"), { recursive: true });
  await mountVolumes(folder, spec, surroundings);
  const kubeconfig = await writeAccess(folder, spec.serviceAccountName, surroundings);
  const free = await freePorts(container.ports?.length ?? 0);
  const ports = Object.fromEntries((container.ports ?? []).map((one, at) => [one.name, free[at] ?? 0]));
  const mounts = container.volumeMounts.map(({ mountPath }) => mountPath);
  const here = (text: string): string => {
    const program = surroundings.programs[text.replace(/^--\w+=/, "")];
    if (program !== undefined) return text.replace(/\/usr\/.*/, program);
    const port = container.ports?.find(({ containerPort }) => text.endsWith(`port=${String(containerPort)}`));
    if (port !== undefined) return text.replace(/\d+$/, String(ports[port.name]));
    const mount = mounts.find((one) => new RegExp(`(?:^|=)${one}(?:/|$)`).test(text));
    return mount === undefined ? text : text.replace(mount, join(folder, mount));
  };
  const env = Object.fromEntries(container.env.map((one) => [one.name, here(one.value)]));
  const [program = "", ...first] = [...container.command, ...container.args].map(here);
  const logFile = join(folder, "log");
  const output = openSync(logFile, "a");
  const options: SpawnOptions = {
    cwd: container.workingDir.replace(/^\/app/, root),
    env: { ...env, KUBECONFIG: kubeconfig, TMPDIR: join(folder, "tmp"), PATH: surroundings.path },
    stdio: ["ignore", output, output],
  };
  const end = Promise.withResolvers<number | null>();
  let stopped = false;
  let child: ChildProcess;
  const launch = (): void => {
    child = spawn(program, first, options);
    child.once("close", (code) => {
      if (stopped || spec.restartPolicy === "Never") end.resolve(code);
      else setTimeout(launch, RESTART_MS);
    });
  };
  launch();
  return {
    ...{ ports, ended: end.promise },
    log: () => readFile(logFile, "utf8"),
    isReady: async () => container.readinessProbe !== undefined && (await probe(ports, container.readinessProbe)),
    stop: (signal = "SIGTERM") => {
      stopped = true;
      if (child.exitCode !== null || child.signalCode !== null) end.resolve(child.exitCode);
      else child.kill(signal);
      return end.promise;
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
