import { randomBytes } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { LandfallError, messageOf } from "../../errors.ts";
import { answerStorage, isStorageRequest, type StorageContext, type StorageRequest } from "./answer-storage.ts";
import type { Access } from "../helm/calls.ts";
import { forwardRequest, type Upstream } from "./forward-request.ts";

/** Whether helm may ask this of the API server for one namespace: null if it may, otherwise the reason. `url` as it came, with its query. */
export function refusalOf(method: string, url: URL, namespace: string): string | null {
  const { pathname } = url;
  // An encoded separator could mean another path to the API server than it does here.
  if (/%(2f|2e|5c|25)/i.test(pathname) || pathname.includes("//")) return "the path has encoded separators";
  const named = /\/namespaces\/([^/]+)/.exec(pathname)?.[1];
  if (named !== undefined && named !== namespace) return `helm may use namespace ${namespace} only`;
  if (named === undefined && method !== "GET") return "helm may write objects of a namespace only";
  return null;
}

export interface GatewayOptions extends StorageContext {
  /** The API server, with the rights of the identity of a namespace. */
  upstream: (namespace: string) => Upstream;
  /** Folder of the kubeconfigs that helm gets. */
  directory: string;
}

/** The limits of one helm process. */
export interface Session {
  namespace: string;
  /** Refuses, by an error, a revision before it is recorded. */
  guard?: StorageRequest["guard"];
}

/** Access to the API server for one helm process and one namespace. */
export interface Gateway {
  /**
   * Runs `work` with an address and a token that are valid until it ends, and with what writes a kubeconfig that holds both: the helm worker
   * needs no file.
   */
  open<T>(session: Session, work: (access: Access & { kubeconfig: () => Promise<string> }) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

const MAX_BODY_BYTES = 8 * 1024 * 1024;
const SECRETS = /^\/api\/v1\/namespaces\/([^/]+)\/secrets(?:\/([^/]+))?$/;

/**
 * helm sends no bearer token without TLS, which a loopback address does not need; it does send the user to impersonate, and
 * that one is the token. With the token in the address, helm would discover all APIs again at every call.
 */
const kubeconfigOf = (server: string, namespace: string, token: string): string =>
  JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "gateway" },
    clusters: [{ name: "gateway", cluster: { server } }],
    users: [{ name: "helm", user: { as: token } }],
    contexts: [{ name: "gateway", context: { cluster: "gateway", user: "helm", namespace } }],
  });

async function bodyOf(asked: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of asked as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new RangeError(`the request has more than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function send(answer: ServerResponse, status: number, body: unknown): void {
  if (answer.headersSent) {
    answer.destroy();
    return;
  }
  answer.writeHead(status, { "content-type": "application/json" });
  answer.end(JSON.stringify(body));
}

const refuse = (answer: ServerResponse, code: number, message: string): void => {
  send(answer, code, { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", code, message });
};

function storageRequest(method: string, url: URL, body: Buffer): Omit<StorageRequest, "guard"> | null {
  const [, namespace, name = null] = SECRETS.exec(url.pathname) ?? [];
  if (namespace === undefined) return null;
  const selector = url.searchParams.get("labelSelector") ?? "";
  const asked = { namespace, method, name, selector, body };
  return isStorageRequest(asked) ? asked : null;
}

async function serve(options: GatewayOptions, session: Session, asked: IncomingMessage, answer: ServerResponse) {
  const { namespace, guard } = session;
  const method = asked.method ?? "GET";
  // Resolves `..` before the check: the path that is checked is the one that is passed on.
  const url = new URL(asked.url ?? "/", "http://gateway");
  const refusal = refusalOf(method, url, namespace);
  if (refusal !== null) {
    refuse(answer, 403, refusal);
    return;
  }
  const body = await bodyOf(asked);
  const storage = storageRequest(method, url, body);
  if (storage === null) {
    await forwardRequest(options.upstream(namespace), url.pathname + url.search, asked, { body, answer });
    return;
  }
  const { status, body: stored } = await answerStorage(options, guard === undefined ? storage : { ...storage, guard });
  send(answer, status, stored);
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address === "object" && address !== null) return `http://127.0.0.1:${address.port}`;
  throw new LandfallError("TOOL_FAILED", { tool: "helm", detail: "no port for its requests" });
}

/**
 * Starts the gateway between helm and the API server. A helm process knows neither the API server nor the controller's
 * credentials: it gets a token that is valid for one namespace and until the process ends. The gateway passes its requests on
 * with the namespace's identity, refuses those for other namespaces, and answers its storage driver from the records.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const sessions = new Map<string, Session>();
  const server = createServer((asked, answer) => {
    const session = sessions.get(String(asked.headers["impersonate-user"]));
    if (session === undefined) {
      refuse(answer, 401, "the token is not valid");
      return;
    }
    serve(options, session, asked, answer).catch((thrown: unknown) => {
      refuse(answer, 500, messageOf(thrown));
    });
  });
  const url = await listen(server);
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  return {
    async open(session, work) {
      const token = randomBytes(32).toString("base64url");
      const file = join(options.directory, `${randomBytes(8).toString("hex")}.kubeconfig`);
      const kubeconfig = async (): Promise<string> => {
        await writeFile(file, kubeconfigOf(url, session.namespace, token), { mode: 0o600 });
        return file;
      };
      sessions.set(token, session);
      try {
        return await work({ server: url, token, kubeconfig });
      } finally {
        sessions.delete(token);
        await rm(file, { force: true });
      }
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
