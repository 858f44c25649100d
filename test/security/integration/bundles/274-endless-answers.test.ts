import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { download } from "../../../../src/bundle/registry/download.ts";
import { openRegistry } from "../../../../src/bundle/registry/open-registry.ts";
import type { RegistryOptions } from "../../../../src/bundle/registry/registry-options.ts";

const MIB = 1024 * 1024;
const INTERIM = "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n".repeat(1500);
const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const opened: Server[] = [];

afterEach(() => {
  for (const server of opened.splice(0)) server.close();
});

/** A registry that writes `first`, then `piece` without an end, as far as it is read; it is a proxy as well. */
async function endless(first: string, piece: string): Promise<{ host: string; sent: () => number }> {
  let sent = 0;
  const answer = (socket: Socket): void => {
    socket.write(first);
    const more = (): void => {
      while (!socket.destroyed) {
        sent += piece.length;
        if (!socket.write(piece)) {
          socket.once("drain", more);
          return;
        }
      }
    };
    more();
  };
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (asked) => {
      if (!asked.toString().startsWith("CONNECT ")) {
        answer(socket);
        return;
      }
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.once("data", () => {
        answer(socket);
      });
    });
  });
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { host: `127.0.0.1:${String((server.address() as AddressInfo).port)}`, sent: () => sent };
}

const timeoutMs = 60_000;

async function get(host: string, options: RegistryOptions = {}): Promise<unknown> {
  const registry = await openRegistry({ plainHttp: true, timeoutMs, ...options });
  const reference = { host, repository: "a", version: "one" };
  try {
    return await registry.get(reference, "manifests/one", { limit: 65_536 });
  } finally {
    await registry.close();
  }
}

const fails = async (work: Promise<unknown>): Promise<[string, number]> => {
  const began = performance.now();
  const code = await work.then(
    () => "",
    (thrown: unknown) => (thrown as { code: string }).code,
  );
  return [code, performance.now() - began];
};

describe("274: a registry that answers without an end, and without a body", () => {
  it.each([
    ["interim answers", "", INTERIM],
    ["extensions of a chunk", `${CHUNKED}1;`, "a".repeat(65_536)],
  ])("by %s is not read for long", async (_what, first, piece) => {
    const { host, sent } = await endless(first, piece);
    const [code, took] = await fails(get(host));
    expect(code).toBe("BUNDLE_LIMIT");
    expect(took).toBeLessThan(timeoutMs / 4);
    const before = sent();
    const address = { limit: 65_536, authorization: null, insecure: false, timeoutMs };
    expect((await fails(download(`http://${host}/index.yaml`, address)))[0]).toBe("BUNDLE_LIMIT");
    expect([before, sent() - before].map((bytes) => bytes > MIB)).toEqual([true, true]);
  });

  it("is not read for long through a proxy either", async () => {
    const { host } = await endless("", INTERIM);
    const proxy = `http://${host}`;
    const env = { http_proxy: proxy, HTTP_PROXY: proxy, https_proxy: proxy, HTTPS_PROXY: proxy };
    const [code, took] = await fails(get("registry.example", { likeGo: true, env }));
    expect(code).toBe("BUNDLE_LIMIT");
    expect(took).toBeLessThan(timeoutMs / 4);
  });
});
