import { ApiError } from "../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../src/cluster/client/create-client.ts";
import { textClient, type TextClient } from "./text-client.ts";

export interface ApiAnswer {
  status: number;
  body: Record<string, unknown>;
}

export interface ApiRequest {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  body?: unknown;
}

type Body = ApiAnswer["body"];
const NOT_FOUND: ApiAnswer = { status: 404, body: { message: "not found" } };

async function call(client: TextClient, path: string, { method = "GET", body }: ApiRequest): Promise<ApiAnswer> {
  if (method === "POST") return { status: 201, body: await client.create<Body>(path, body) };
  if (method === "PATCH") return { status: 200, body: await client.patch<Body>(path, "merge", body) };
  if (method === "DELETE") return (await client.remove(path)) ? { status: 200, body: {} } : NOT_FOUND;
  const found = await client.get<Body>(path);
  return found === null ? NOT_FOUND : { status: 200, body: found };
}

/** Sends a request and returns the answer, also an error answer, for tests that check its status or message. */
export async function sendRequest(client: KubeClient, path: string, request: ApiRequest = {}): Promise<ApiAnswer> {
  try {
    return await call(textClient(client), path, request);
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status > 0)
      return { status: thrown.status, body: { message: thrown.detail } };
    throw thrown;
  }
}
