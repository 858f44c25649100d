import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { DEFAULTS, serviceUrls } from "../../../../src/elemento/api/client-options.ts";
import { openClient } from "../../../../src/elemento/api/open-client.ts";

const ACCOUNT = { username: "somebody", password: "hunter2 and more" };

it.each(["2000000", "9999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])(
  "20: an answer of Elemento that asks for a pause of %s stops the account for five minutes at most",
  async (pause) => {
    const server = createServer((request, response) => {
      const isLogin = request.url?.endsWith("/login") ?? false;
      response.writeHead(isLogin ? 200 : 429, isLogin ? {} : { "retry-after": pause });
      response.end(isLogin ? '{"authenticated":true,"token":"token-of-the-session"}' : "");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const urls = serviceUrls(`http://127.0.0.1:${String(port)}`);
    const api = openClient({ ...DEFAULTS, urls, account: ACCOUNT, retries: 1, firstPauseMs: 1 });
    const busy = { code: "ELEMENTO_BUSY", params: { seconds: 300 } };
    await expect(api.listVms()).rejects.toMatchObject(busy);
    // The queue of the account is paused for as long.
    await expect(api.listVms()).rejects.toMatchObject(busy);
    await api.close();
    server.close();
  },
);
