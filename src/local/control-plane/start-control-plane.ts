import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { defaultCacheFolder } from "../../toolchain/cache-paths.ts";
import { toolPath } from "../../toolchain/tool-path.ts";
import type { ToolName } from "../../toolchain/tool-spec.ts";
import { aggregateRoles } from "./aggregate-roles.ts";
import { applyManifests } from "./apply-manifests.ts";
import { createClient, type KubeClient } from "../../cluster/client/create-client.ts";
import { loadKubeconfig } from "../../cluster/client/load-kubeconfig.ts";
import { freePorts } from "../processes/free-ports.ts";
import { launch, type Stage } from "../processes/launch.ts";
import { localPaths } from "../processes/local-paths.ts";
import { prepareFolder } from "./prepare-folder.ts";
import { auditFlags } from "./audit-flags.ts";
import { startApiServer, startEtcd } from "./start-api-server.ts";
import { startControllerManager } from "./start-controller-manager.ts";
import { isHttpOk } from "../processes/is-http-ok.ts";
import { projectPath } from "../processes/project-path.ts";
import { supervise } from "../processes/supervise.ts";
import { writeKubeconfig } from "./write-kubeconfig.ts";
import { CLIENTS, writePki } from "./write-pki.ts";
import type { Client, Pki } from "./write-pki.ts";

/** CRDs of the providers, namespaces, and the rights of the simulators. */
const SURROUNDINGS = [projectPath("src/local/crds"), projectPath("src/local/manifests")];
/** CRDs, rights and policies of Landfall, as its chart installs them. */
const LANDFALL = [
  projectPath("charts/landfall/crds"),
  projectPath("charts/landfall/definitions"),
  projectPath("charts/landfall/rbac/controller.yaml"),
  projectPath("charts/landfall/rbac/webhook.yaml"),
  projectPath("charts/landfall/rbac/elemento.yaml"),
  projectPath("charts/landfall/policies"),
];

export interface ControlPlaneOptions {
  /** Folder for data, logs and kubeconfigs; emptied first. */
  dir: string;
  /** Of this process: where programs are found, and what the processes inherit. */
  env: NodeJS.ProcessEnv;
  /** Keeps the data of an earlier run. */
  keep?: boolean;
  /** Namespace of the administrator's kubeconfig; `default` if it is omitted. */
  namespace?: string;
  /** Without it, deleted namespaces stay and owned objects are not collected: faster, and enough for most tests. */
  controllerManager?: boolean;
  /** False leaves Landfall's CRDs and rights to its chart. */
  landfall?: boolean;
  /** Writes the requests of Landfall's accounts to logs/audit.log. */
  audit?: boolean;
  /** Further flags of the API server, without dashes. */
  apiServerFlags?: Readonly<Record<string, string>>;
  report?: (text: string) => void;
  /** When it is aborted, all processes are stopped and the start fails with the signal's reason. */
  signal?: AbortSignal;
}

/** etcd, an API server with all CRDs and RBAC, and an OCI registry. */
export interface ControlPlane {
  stage: Stage;
  /** The administrator's client. */
  client: KubeClient;
  /** `host:port` of the registry, plain HTTP. */
  registry: string;
  pki: Pki;
  kubeconfig: string;
  kubeconfigOf(client: Client): string;
  tool(name: ToolName): Promise<string>;
  /** Milliseconds since 1970 at which the API server was ready. */
  apiReadyAt: number;
  /** Ends every process; the folder stays. */
  stop(): Promise<void>;
}

async function writeKubeconfigs(stage: Stage, pki: Pki, server: string, namespace: string): Promise<void> {
  const common = { server, authority: pki.authority, namespace };
  const names = Object.keys(CLIENTS) as Client[];
  const write = async (file: string, name: Client): Promise<void> =>
    writeKubeconfig(file, { ...common, user: CLIENTS[name].commonName, client: pki.clients[name] });
  await Promise.all(names.map(async (name) => write(stage.paths.kubeconfigOf(name), name)));
  await write(stage.paths.kubeconfig, "admin");
}

/** Helm and crane get empty folders of their own, so that a user's plugins and credential helpers have no effect. */
function childEnvironment(env: NodeJS.ProcessEnv, home: string): NodeJS.ProcessEnv {
  const { KUBECONFIG: _, ...rest } = env;
  return {
    ...rest,
    HELM_CACHE_HOME: `${home}/helm-cache`,
    HELM_CONFIG_HOME: `${home}/helm-config`,
    HELM_DATA_HOME: `${home}/helm-data`,
    DOCKER_CONFIG: `${home}/docker`,
    // Node caches the compiled TypeScript: each process starts sooner and takes about 30 MB less memory.
    NODE_COMPILE_CACHE: join(defaultCacheFolder(env), "..", "node"),
  };
}

/** Starts an OCI registry (plain HTTP, loopback) and returns its `host:port`. */
async function startRegistry(stage: Stage, command: string, port: number): Promise<string> {
  const host = `127.0.0.1:${port}`;
  await mkdir(stage.paths.registry, { recursive: true });
  const args = ["registry", "serve", "--address", host, "--disk", stage.paths.registry];
  await launch(stage, { name: "registry", command, args, layer: 1, ready: async () => isHttpOk(`http://${host}/v2/`) });
  return host;
}

type Commands = Record<"etcd" | "kube-apiserver" | "kube-controller-manager" | "crane", string>;

async function resolveCommands(tool: ControlPlane["tool"]): Promise<Commands> {
  const [etcd, apiServer, manager, crane] = await Promise.all([
    tool("etcd"),
    tool("kube-apiserver"),
    tool("kube-controller-manager"),
    tool("crane"),
  ]);
  return { etcd, "kube-apiserver": apiServer, "kube-controller-manager": manager, crane };
}

type Running = Pick<ControlPlane, "client" | "registry" | "pki" | "apiReadyAt">;

async function startProcesses(stage: Stage, commands: Commands, options: ControlPlaneOptions): Promise<Running> {
  const [etcdPort = 0, peer = 0, port = 0, registryPort = 0] = await freePorts(4);
  const pki = await writePki(stage.paths.pki);
  await writeKubeconfigs(stage, pki, `https://127.0.0.1:${port}`, options.namespace ?? "default");
  const client = createClient(await loadKubeconfig(stage.paths.kubeconfig, {}));
  const startApi = async (): Promise<number> => {
    const etcd = await startEtcd(stage, commands.etcd, { client: etcdPort, peer });
    const audit = options.audit === true ? await auditFlags(stage.paths.pki, stage.paths.log("audit")) : {};
    const flags = { ...audit, ...options.apiServerFlags };
    await startApiServer(stage, { command: commands["kube-apiserver"], etcd, port, pki, client, flags });
    return Date.now();
  };
  const [apiReadyAt, registry] = await Promise.all([startApi(), startRegistry(stage, commands.crane, registryPort)]);
  const manager = { command: commands["kube-controller-manager"], pki };
  if (options.controllerManager === true) await startControllerManager(stage, manager);
  await applyManifests(client, options.landfall === false ? SURROUNDINGS : [...SURROUNDINGS, ...LANDFALL]);
  if (options.controllerManager !== true) await aggregateRoles(client);
  return { client, registry, pki, apiReadyAt };
}

function newStage(options: ControlPlaneOptions): Stage {
  const paths = localPaths(options.dir);
  return {
    paths,
    supervisor: supervise(options.signal),
    env: childEnvironment(options.env, paths.home),
    report: options.report ?? (() => undefined),
  };
}

/** Starts a control plane on free loopback ports. Errors: TOOL_…, LOCAL_…; nothing is left running after one. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { env } = options;
  const stage = newStage(options);
  const { paths, supervisor } = stage;
  const tool = async (name: ToolName): Promise<string> => toolPath(name, { env });
  const commands = await Promise.race([resolveCommands(tool), supervisor.failed]);
  await prepareFolder(paths, options.keep ?? false);
  const stopProcesses = async (): Promise<void> => {
    await supervisor.stop();
    await rm(paths.lock, { force: true });
  };
  try {
    const running = await Promise.race([startProcesses(stage, commands, options), supervisor.failed]);
    const stop = async (): Promise<void> => {
      await running.client.close();
      await stopProcesses();
    };
    const kubeconfigOf = (name: Client): string => paths.kubeconfigOf(name);
    return { ...running, stage, kubeconfig: paths.kubeconfig, kubeconfigOf, tool, stop };
  } catch (error) {
    await stopProcesses();
    throw error;
  }
}
