import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DEFAULTS, serviceUrls } from "../../../src/elemento/api/client-options.ts";
import type { ElementoApi } from "../../../src/elemento/api/elemento-api.ts";
import { openClient } from "../../../src/elemento/api/open-client.ts";

interface Scripted extends AsyncDisposable {
  api: ElementoApi;
  /** Requests other than logins. */
  asked: () => number;
}

/** A service that takes every login and gives one answer to everything else. */
export async function answering(status: number, body: string, headers: Record<string, string> = {}): Promise<Scripted> {
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      const isLogin = request.url?.endsWith("/login") ?? false;
      if (!isLogin) asked += 1;
      response.writeHead(isLogin ? 200 : status, isLogin ? {} : headers);
      response.end(isLogin ? '{"authenticated":true,"token":"token-of-the-session"}' : body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const api = openClient({
    ...DEFAULTS,
    urls: serviceUrls(`http://127.0.0.1:${String(port)}`),
    account: { username: "somebody", password: "hunter2 and more" },
    retries: 1,
    firstPauseMs: 1,
    requestsPerSecond: 1000,
  });
  return {
    api,
    asked: () => asked,
    [Symbol.asyncDispose]: async () => {
      await api.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
