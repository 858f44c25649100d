import { readFile } from "node:fs/promises";
import { Agent } from "undici";
import { parse } from "yaml";
import { isObject } from "../model/json.ts";

export interface ApiAnswer {
  status: number;
  body: Record<string, unknown>;
}

export interface ApiRequest {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  body?: unknown;
  contentType?: string;
}

/** A small client of the local API server: it speaks JSON and leaves judging the status to its callers. */
export interface Api {
  request(path: string, request?: ApiRequest): Promise<ApiAnswer>;
  close(): Promise<void>;
}

interface Kubeconfig {
  clusters: [{ cluster: { server: string; "certificate-authority-data": string } }];
  users: [{ user: { "client-certificate-data": string; "client-key-data": string } }];
}

const decode = (text: string): string => Buffer.from(text, "base64").toString();

/** Connects with a kubeconfig that `writeKubeconfig` wrote. */
export async function connectApi(kubeconfig: string): Promise<Api> {
  const config = parse(await readFile(kubeconfig, "utf8")) as Kubeconfig;
  const [{ cluster }] = config.clusters;
  const [{ user }] = config.users;
  const agent = new Agent({
    connect: {
      ca: decode(cluster["certificate-authority-data"]),
      cert: decode(user["client-certificate-data"]),
      key: decode(user["client-key-data"]),
    },
  });
  return {
    async request(path, { method = "GET", body, contentType = "application/json" } = {}) {
      const answer = await agent.request({
        origin: cluster.server,
        path,
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": contentType } }),
      });
      const text = await answer.body.text();
      return { status: answer.statusCode, body: asObject(text) };
    },
    close: async () => agent.close(),
  };
}

/** /readyz and some errors answer plain text. */
function asObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : { message: text };
  } catch {
    return { message: text };
  }
}
