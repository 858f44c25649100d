import { ApiError } from "../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../src/cluster/client/create-client.ts";
import { buildConsole } from "../../../src/console/build-console.ts";
import { readGeography } from "../../../src/console/map/read-geography.ts";
import type { Page } from "../../../src/console/pages/read-pages.ts";
import type { ConsoleApp } from "../../../src/console/routes/console-app.ts";
import { createSessions } from "../../../src/console/server/sessions.ts";
import { loadPolicy } from "../load-policy.ts";

export const HOST = "127.0.0.1:4321";
export const ORIGIN = `http://${HOST}`;

const INDEX: Page = {
  ...{ type: "text/html; charset=utf-8", body: Buffer.from("<title>Landfall</title>"), brotli: null, lasting: false },
};

/** An API server that answers these paths, and 404 or the status to all others. */
export function answering(answers: Readonly<Record<string, unknown>>, status = 404): KubeClient {
  const refuse = (path: string): never => {
    throw new ApiError(status, { action: `GET ${path}`, detail: "refused" });
  };
  const never = (path: string): Promise<never> =>
    Promise.reject(new ApiError(405, { action: path, detail: "read-only" }));
  return {
    get: async (path) => Promise.resolve(Object.hasOwn(answers, path) ? (answers[path] as never) : refuse(path)),
    stream: (path) => never(path),
    ...{ create: never, replace: never, patch: never, remove: never, close: () => Promise.resolve() },
  };
}

export interface TestConsole {
  app: ConsoleApp;
  /** A new one-time token. */
  token: () => string;
  /** The headers of a signed-in page. */
  signIn: () => Promise<Record<string, string>>;
  /** The failures that the console reported. */
  reported: string[];
}

/** The console's server without a socket, for requests to HOST. */
export async function testConsole(client: KubeClient = answering({})): Promise<TestConsole> {
  const sessions = createSessions(() => performance.now());
  const reported: string[] = [];
  const app = buildConsole({
    ...{
      client,
      callers: { sessions, hosts: () => [HOST] },
      systemNamespace: "landfall-system",
      policy: await loadPolicy(),
      ruleLine: () => null,
    },
    cluster: { server: "https://127.0.0.1:6443", namespace: "demo", timeLapse: 1, recorded: null },
    geography: await readGeography("catalog"),
    pages: new Map([["/index.html", INDEX]]),
    failed: (thrown, path) => reported.push(`${path} ${String(thrown)}`),
  });
  const token = (): string => sessions.token();
  async function signIn(): Promise<Record<string, string>> {
    const answer = await app.inject({
      ...{ method: "POST", url: "/api/session", payload: { token: token() }, headers: { host: HOST, origin: ORIGIN } },
    });
    const { session } = answer.json<{ session: string }>();
    return { host: HOST, authorization: `Bearer ${session}` };
  }
  return { app, token, signIn, reported };
}
