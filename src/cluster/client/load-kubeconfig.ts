import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { LandfallError, messageOf } from "../../errors.ts";
import { isObject, textOf as jsonText } from "../../model/json.ts";
import type { RestConfig } from "./rest-config.ts";

/** The folder of a Pod's service account. */
const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

type Fields = Record<string, unknown>;

const bad = (source: string, detail: string, cause?: unknown): LandfallError =>
  new LandfallError("CLUSTER_CONFIG", { source, detail }, cause);

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (thrown) {
    throw bad(file, messageOf(thrown), thrown);
  }
}

/** The entry with this name in a list of the kubeconfig. */
function named(config: Fields, [list, part]: readonly [string, string], name: unknown, source: string): Fields {
  const entries: unknown[] = Array.isArray(config[list]) ? config[list] : [];
  const found = entries.find((entry) => isObject(entry) && entry["name"] === name);
  if (isObject(found) && isObject(found[part])) return found[part];
  throw bad(source, `${list} has no ${part} named ${jsonText(name)}`);
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

/** A PEM text from the kubeconfig itself (base64), or from the file that it names. */
async function pem(fields: Fields, name: string, folder: string): Promise<string | undefined> {
  const inside = text(fields[`${name}-data`]);
  if (inside !== undefined) return Buffer.from(inside, "base64").toString("utf8");
  const file = text(fields[name]);
  return file === undefined ? undefined : textOf(resolve(folder, file));
}

function headersOf(user: Fields, folder: string): RestConfig["headers"] {
  const [token, tokenFile] = [text(user["token"]), text(user["tokenFile"])];
  const [name, password] = [text(user["username"]), text(user["password"])];
  if (tokenFile !== undefined) {
    return async () => ({ authorization: `Bearer ${(await textOf(resolve(folder, tokenFile))).trim()}` });
  }
  const headers: Record<string, string> = {};
  if (token !== undefined) headers["authorization"] = `Bearer ${token}`;
  else if (name !== undefined)
    headers["authorization"] = `Basic ${Buffer.from(`${name}:${password ?? ""}`).toString("base64")}`;
  return () => Promise.resolve(headers);
}

function defined<T extends object>(values: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

async function readConfig(file: string): Promise<Fields> {
  const source = await textOf(file);
  let config: unknown;
  try {
    config = parse(source);
  } catch (thrown) {
    throw bad(file, messageOf(thrown), thrown);
  }
  if (isObject(config)) return config;
  throw bad(file, "it is not a kubeconfig");
}

const needsPlugin = (cluster: Fields, user: Fields): boolean =>
  user["exec"] !== undefined || user["auth-provider"] !== undefined || cluster["proxy-url"] !== undefined;

async function tlsOf(cluster: Fields, user: Fields, folder: string): Promise<RestConfig["tls"]> {
  return defined<RestConfig["tls"]>({
    ca: await pem(cluster, "certificate-authority", folder),
    cert: await pem(user, "client-certificate", folder),
    key: await pem(user, "client-key", folder),
    rejectUnauthorized: cluster["insecure-skip-tls-verify"] === true ? false : undefined,
    servername: text(cluster["tls-server-name"]),
  });
}

/** Reads the current context of a kubeconfig. The official client handles credentials that a plug-in makes. */
async function fromFile(file: string): Promise<RestConfig> {
  const config = await readConfig(file);
  const context = named(config, ["contexts", "context"], config["current-context"], file);
  const cluster = named(config, ["clusters", "cluster"], context["cluster"], file);
  const user = context["user"] === undefined ? {} : named(config, ["users", "user"], context["user"], file);
  const server = text(cluster["server"])?.replace(/\/+$/, "");
  if (server === undefined) throw bad(file, "its cluster names no server");
  if (needsPlugin(cluster, user)) {
    const { loadWithPlugin } = await import("./load-with-plugin.ts");
    return loadWithPlugin(file);
  }
  const folder = dirname(resolve(file));
  const tls = await tlsOf(cluster, user, folder);
  return { server, tls, headers: headersOf(user, folder), namespace: text(context["namespace"]) ?? "default" };
}

type Env = Readonly<Record<string, string | undefined>>;

/** The API server as Kubernetes tells every Pod; null outside of one. */
export function serverOfPod({ KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port }: Env): string | null {
  if (host === undefined || port === undefined) return null;
  return `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

async function fromPod(server: string): Promise<RestConfig> {
  return {
    server,
    tls: { ca: await textOf(`${SERVICE_ACCOUNT}/ca.crt`) },
    headers: headersOf({ tokenFile: `${SERVICE_ACCOUNT}/token` }, "/"),
    namespace: (await textOf(`${SERVICE_ACCOUNT}/namespace`)).trim(),
  };
}

/** The file that loadKubeconfig reads: the first of `KUBECONFIG` is the only one. Null in a Pod, and if there is none. */
export function kubeconfigFile(kubeconfig: string | undefined, env: Env): string | null {
  const { KUBECONFIG: named, HOME: home } = env;
  if (kubeconfig !== undefined) return kubeconfig;
  if (serverOfPod(env) !== null) return null;
  return named?.split(":").find((path) => path !== "") ?? (home === undefined ? null : `${home}/.kube/config`);
}

/**
 * Loads the connection to a cluster: from this kubeconfig, otherwise from the service account of the Pod, otherwise from `KUBECONFIG`
 * or `~/.kube/config`. Throws CLUSTER_CONFIG.
 *
 * It reads kubeconfigs itself: the official client takes 85 MB of memory, because it holds every API of Kubernetes. That
 * client is loaded only if a plug-in makes the credentials.
 */
export async function loadKubeconfig(kubeconfig: string | undefined, env: Env): Promise<RestConfig> {
  const file = kubeconfigFile(kubeconfig, env);
  if (file !== null) return fromFile(file);
  const server = serverOfPod(env);
  if (server !== null) return fromPod(server);
  throw bad("this process", "there is no kubeconfig, and it does not run in a Pod");
}
