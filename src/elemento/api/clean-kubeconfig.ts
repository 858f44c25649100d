import { stringify } from "yaml";
import { LandfallError } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import { parseForeignYaml } from "../../model/formats/parse-foreign-yaml.ts";

type Fields = Record<string, unknown>;

const MOST = { characters: 32 * 1024, tokens: 2000 } as const;
/** Fields that run programs, read files of the user, or send credentials elsewhere. */
const FORBIDDEN = {
  cluster: ["certificate-authority", "proxy-url"],
  user: ["exec", "auth-provider", "tokenFile", "client-certificate", "client-key"],
} as const;
const NAME = /^[\w.@:/-]{1,253}$/;
const TOKEN = /^[\x21-\x7e]{1,16384}$/;
const SERVER_NAME = /^[\w.:-]{1,253}$/;
const PEM = /^-----BEGIN [A-Z ]+-----\n[A-Za-z0-9+/=\s:,.-]+-----END [A-Z ]+-----\s*$/;

/** The file is not quoted: it may hold credentials. */
const refused = (detail: string): LandfallError => new LandfallError("ELEMENTO_KUBECONFIG", { detail });

function parsed(text: string): Fields {
  const read = parseForeignYaml(text, MOST);
  if ("problem" in read) throw refused(read.problem);
  if (isObject(read.value)) return read.value;
  throw refused("it is not a YAML object");
}

/** The part of the entry with this name. */
function named(config: Fields, [list, part]: readonly [string, string], name: unknown): Fields {
  const entries: unknown[] = Array.isArray(config[list]) ? config[list] : [];
  const found = entries.find((entry) => isObject(entry) && entry["name"] === name);
  if (isObject(found) && isObject(found[part])) return found[part];
  throw refused(`current-context leads to no entry of ${list}`);
}

function assertAllowed(fields: Fields, part: keyof typeof FORBIDDEN): void {
  const found = FORBIDDEN[part].find((name) => fields[name] !== undefined);
  if (found !== undefined) throw refused(`its ${part} has the field ${found}`);
  if (part === "cluster" && ![undefined, false].includes(fields["insecure-skip-tls-verify"] as boolean | undefined)) {
    throw refused("its cluster has the field insecure-skip-tls-verify");
  }
}

/** A text of the file; undefined if it is missing. */
function textIn(fields: Fields, name: string, valid: (text: string) => boolean): string | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (typeof value === "string" && valid(value)) return value;
  throw refused(`its field ${name} is not valid`);
}

const isPem = (base64: string): boolean => PEM.test(Buffer.from(base64, "base64").toString("latin1"));

function isServer(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "https:" && url.username === "" && url.password === "";
}

const present = (fields: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

function clusterOf(fields: Fields): Record<string, string> {
  assertAllowed(fields, "cluster");
  const server = textIn(fields, "server", isServer);
  if (server === undefined) throw refused("its cluster has no server");
  return present({
    server,
    "certificate-authority-data": textIn(fields, "certificate-authority-data", isPem),
    "tls-server-name": textIn(fields, "tls-server-name", (text) => SERVER_NAME.test(text)),
  });
}

function userOf(fields: Fields): Record<string, string> {
  assertAllowed(fields, "user");
  const user = present({
    token: textIn(fields, "token", (text) => TOKEN.test(text)),
    "client-certificate-data": textIn(fields, "client-certificate-data", isPem),
    "client-key-data": textIn(fields, "client-key-data", isPem),
  });
  const hasCertificate = "client-certificate-data" in user && "client-key-data" in user;
  if (hasCertificate || "token" in user) return user;
  throw refused("its user has neither a token nor a client certificate with its key");
}

/**
 * The kubeconfig of an answer, reduced to the current context: server, CA, and token or client certificate. kubectl runs the
 * programs and reads the files that a kubeconfig names, so that a file with such fields is refused. Throws ELEMENTO_KUBECONFIG.
 */
export function cleanKubeconfig(text: string): string {
  const config = parsed(text);
  const name = textIn(config, "current-context", (value) => NAME.test(value));
  if (name === undefined) throw refused("it has no current-context");
  const context = named(config, ["contexts", "context"], name);
  const cluster = clusterOf(named(config, ["clusters", "cluster"], context["cluster"]));
  const user = userOf(named(config, ["users", "user"], context["user"]));
  return stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": name },
    clusters: [{ name, cluster }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  });
}
