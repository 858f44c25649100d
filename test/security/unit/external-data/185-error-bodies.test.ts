import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createGzip } from "node:zlib";
import { pipeline, Readable } from "node:stream";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openPriceService } from "../../../../src/external-data/price-lists/price-service.ts";

const MIB = 1024 * 1024;
let server: Server;
let produced = 0;
beforeAll(async () => {
  // An error whose body never ends.
  server = createServer((request, response) => {
    const encoding = request.url === "/gzip" ? { "content-encoding": "gzip" } : {};
    response.writeHead(403, encoding);
    const endless = Readable.from(
      (function* () {
        for (let text = "the reason "; ; text = "x".repeat(65_536)) {
          produced += text.length;
          yield Buffer.from(text);
        }
      })(),
    );
    if (request.url === "/gzip") pipeline(endless, createGzip(), response, () => undefined);
    else pipeline(endless, response, () => undefined);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it.each(["plain", "gzip"])("185: of an error's body, 16 KiB are read: %s", async (path) => {
  const proxies = { httpProxy: "", httpsProxy: "", noProxy: "*" };
  const service = openPriceService({
    ...{ source: "AWS", option: "--aws-url", proxies, timeoutMs: 5000, answerMs: 8000, retries: 0 },
  });
  produced = 0;
  const url = new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/${path}`);
  const asked = service.file(url, () => Promise.resolve());
  await expect(asked).rejects.toMatchObject({ code: "PRICES_STATUS" });
  await expect(asked).rejects.toThrow("the reason");
  // What is on its way in buffers; compressed, a thousand times as much fits.
  expect(produced).toBeLessThan(path === "gzip" ? 256 * MIB : 32 * MIB);
  await service.close();
});
