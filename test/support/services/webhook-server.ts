import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { Registry } from "prom-client";
import { Agent, request } from "undici";
import { issueAuthority, issueClient } from "../../../src/certificates/issue-certificate.ts";
import { type ClusterData, createClusterData } from "../../../src/external-data/cluster-data.ts";
import type { LoadedBundle } from "../../../src/policy/loaded-bundle.ts";
import type { Authenticator } from "../../../webhook/authentication/create-authenticator.ts";
import { buildApp } from "../../../webhook/serving/build-app.ts";
import type { Drain } from "../../../webhook/serving/drain-connections.ts";
import { makeServingCertificate } from "../../../webhook/certificates/serving-certificate.ts";
import { makeAnswers } from "../../../webhook/decisions/process/make-answers.ts";
import { NOW } from "../admission.ts";
import { ringOf } from "../../../src/model/decision-annotation/key-ring.ts";

export interface Answer {
  status: number;
  body: unknown;
}

export interface TestWebhook {
  url: string;
  /** The API server's certificate. PEM. */
  client: { key: string; certificate: string };
  /** The app's data of a cluster. */
  clusterData: ClusterData;
  /** Posts as the API server would; `certificate: false` sends none. */
  post(path: string, body: string, certificate?: boolean): Promise<Answer>;
  get(path: string, token?: string): Promise<Answer>;
  /** The status of an answer to a caller at this address. */
  statusFrom(path: string, remoteAddress: string): Promise<number>;
  /** All log output, as text. */
  log(): string;
  close(): Promise<void>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export interface WebhookChoices {
  clientName?: string;
  statusToken?: string | null;
  authenticator?: Authenticator;
  drain?: Drain;
  /** Ms that each answer of a review takes longer. */
  slowMs?: number;
}

/** The real app on a free port, with real certificates. */
export async function startWebhook(
  policy: LoadedBundle | null,
  { clientName = "kube-apiserver", statusToken = null, authenticator, drain, slowMs = 0 }: WebhookChoices = {},
): Promise<TestWebhook> {
  const clients = await issueAuthority("test client CA");
  const client = await issueClient(clients, { commonName: "kube-apiserver" });
  const serving = await makeServingCertificate(["127.0.0.1"]);
  const lines: string[] = [];
  const clusterData = createClusterData();
  const answer = makeAnswers({
    policy,
    clusterData,
    nowSeconds: () => NOW,
    forecasts: () => null,
    keys: () => ringOf(Buffer.alloc(32, 7)),
  });
  const app = buildApp({
    ask: async (path, body) => {
      if (slowMs > 0) await sleep(slowMs);
      return answer(path, body);
    },
    status: () => ({ ready: policy !== null }),
    metrics: new Registry(),
    poll: null,
    tls: { key: serving.key, cert: serving.cert, clientCa: clients.certificate.toString("pem"), clientName },
    statusToken: statusToken === null ? null : () => Promise.resolve(statusToken),
    ...(authenticator === undefined ? {} : { authenticator }),
    ...(drain === undefined ? {} : { drain }),
    logger: pino({ level: "info" }, { write: (line: string) => void lines.push(line) }),
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const url = `https://127.0.0.1:${String(port)}`;
  const known = new Agent({ connect: { ca: serving.ca, cert: client.certificate, key: client.key } });
  const unknown = new Agent({ connect: { ca: serving.ca } });
  const ask = async (path: string, options: Parameters<typeof request>[1]): Promise<Answer> => {
    const { statusCode, body } = await request(`${url}${path}`, options);
    return { status: statusCode, body: parse(await body.text()) };
  };
  return {
    url,
    client,
    clusterData,
    post: (path, body, certificate = true) =>
      ask(path, {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
        dispatcher: certificate ? known : unknown,
      }),
    get: (path, token) =>
      ask(path, {
        method: "GET",
        dispatcher: unknown,
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      }),
    statusFrom: async (path, remoteAddress) => (await app.inject({ url: path, remoteAddress })).statusCode,
    log: () => lines.join(""),
    close: async () => {
      await Promise.all([known.close(), unknown.close()]);
      await app.close();
    },
  };
}
