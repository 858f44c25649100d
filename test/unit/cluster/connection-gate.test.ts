import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { createAddressRate, waitForRates } from "../../../src/cluster/service/address-rates.ts";
import { openGate } from "../../../src/cluster/service/connection-gate.ts";
import { guardListener } from "../../../src/cluster/service/guard-listener.ts";
import { sharePage } from "../../../src/cluster/service/share-page.ts";

const MUCH = { perSecond: 1e9, atOnce: 1e9 };

interface Guarded {
  socket: Socket;
  /** What was answered so far. */
  text: () => string;
  /** The most requests that were underway together. */
  most: () => number;
}

type Handle = (request: IncomingMessage, body: string) => Promise<string>;

/** A connection to a guarded server that answers with what `handle` gives. */
async function guarded(handle: Handle, requests = MUCH, requestMs?: number): Promise<Guarded> {
  let [underway, most, text] = [0, 0, ""];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    underway += 1;
    most = Math.max(most, underway);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch {
      return;
    }
    const body = await handle(request, Buffer.concat(chunks).toString());
    underway -= 1;
    response.end(body);
  };
  const server = createServer((request, response) => void answer(request, response));
  guardListener(server, {
    ...{ event: "connection", limits: { connections: null, requests, bytes: MUCH } },
    ...(requestMs === undefined ? {} : { requestMs }),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("data", (bytes: Buffer) => {
    text += bytes.toString();
  });
  onTestFinished(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { socket, text: () => text, most: () => most };
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

const slowly: Handle = async ({ url }) => {
  await sleep(2);
  return `<${String(url)}>`;
};

it("hands on one request at a time, in order, wherever the bytes are divided", async () => {
  const { socket, text, most } = await guarded(slowly);
  const all = Array.from({ length: 50 }, (_, index) => get(`/${String(index)}`)).join("");
  for (let at = 0; at < all.length; at += 333) {
    socket.write(all.slice(at, at + 333));
    await sleep(1);
  }
  await expect.poll(text).toContain("</49>");
  expect(text().match(/<[^>]*>/g)).toEqual(Array.from({ length: 50 }, (_, index) => `</${String(index)}>`));
  expect(most()).toBeLessThanOrEqual(2);
});

it("hands on bodies with blank lines, and long and chunked ones, unchanged", async () => {
  const bodies: string[] = [];
  const { socket, text } = await guarded(async (_request, body) => {
    bodies.push(body);
    await sleep(1);
    return `<${String(bodies.length)}>`;
  });
  const long = `\n\n${"a\n\nb\r\n\r\n".repeat(2000)}`;
  const head = "POST / HTTP/1.1\r\nHost: a\r\n";
  socket.write(`${head}Content-Length: ${String(long.length)}\r\n\r\n${long}`);
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\na\n\n\nb\r\n0\r\n\r\n${get("/")}`);
  await expect.poll(text, { timeout: 20_000 }).toContain("<3>");
  expect(bodies).toEqual([long, "a\n\n\nb", ""]);
});

// Of two reads, as a client that waits between them sends them.
it.each([
  ["in the middle of the blank line", "\r", "\n"],
  ["before the blank line", "", "\r\n"],
])("hands on one request at a time after headers that were divided %s", async (_, first, second) => {
  const { socket, text, most } = await guarded(slowly);
  const body = "x".repeat(5000);
  socket.write(`POST /0 HTTP/1.1\r\nHost: a\r\nContent-Length: ${String(body.length)}\r\n${first}`);
  await sleep(50);
  socket.write(`${second}${body}${Array.from({ length: 100 }, (__, index) => get(`/${String(index + 1)}`)).join("")}`);
  await expect.poll(text, { timeout: 10_000 }).toContain("</100>");
  expect(most()).toBe(1);
});

it("ends a request whose body does not come in time", async () => {
  const { socket } = await guarded(slowly, MUCH, 200);
  socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc");
  await once(socket, "close");
  expect(socket.bytesWritten).toBeGreaterThan(50);
});

it("makes requests wait that come faster than the rate of their address", async () => {
  const { socket, text } = await guarded(({ url }) => Promise.resolve(`<${String(url)}>`), {
    perSecond: 20,
    atOnce: 5,
  });
  const began = performance.now();
  socket.write(Array.from({ length: 15 }, (_, index) => get(`/${String(index)}`)).join(""));
  await expect.poll(text, { timeout: 10_000 }).toContain("</14>");
  expect(performance.now() - began).toBeGreaterThan(400);
});

it("hands on everything of a connection that was authenticated", async () => {
  const { socket, text, most } = await guarded(async (request) => {
    openGate(request.socket);
    await sleep(50);
    return `<${String(request.url)}>`;
  });
  socket.write(Array.from({ length: 10 }, (_, index) => get(`/${String(index)}`)).join(""));
  await expect.poll(text).toContain("</9>");
  expect(most()).toBe(10);
});

it("ends with its client, and answers what a client sent before it ended its side", async () => {
  // On a busy machine a slow answer can be there before the end of its client.
  const { socket, text } = await guarded(() => new Promise(() => undefined));
  socket.end(get("/last"));
  await once(socket, "close");
  expect(text()).toBe("");
  const other = await guarded(({ url }) => Promise.resolve(`<${String(url)}>`));
  other.socket.write(get("/one"));
  await expect.poll(other.text).toContain("</one>");
});

it("takes an amount of an address's rate, or says when it may", () => {
  let ms = 0;
  const rate = createAddressRate({ perSecond: 10, atOnce: 20 }, () => ms);
  const take = (address: string, amount: number): number => {
    const wait = rate.waitOf(address, amount);
    if (wait === 0) rate.take(address, amount);
    return wait;
  };
  expect(Array.from({ length: 21 }, () => take("a", 1)).at(-1)).toBe(100);
  expect(take("b", 1)).toBe(0);
  ms += 100;
  expect(take("a", 1)).toBe(0);
  // More than may come together counts for what follows.
  expect([take("c", 50), take("c", 1)]).toEqual([0, 3100]);
  ms += 60_000;
  expect(take("a", 20)).toBe(0);
});

it("takes nothing of the rate of requests while the bytes have to wait", () => {
  let ms = 0;
  const waitFor = waitForRates(
    { requests: { perSecond: 1, atOnce: 2 }, bytes: { perSecond: 100, atOnce: 100 } },
    () => ms,
  );
  expect(waitFor("a", 100, true)).toBe(0);
  for (let look = 0; look < 10; look++) expect(waitFor("a", 100, true)).toBe(1000);
  ms += 1000;
  expect(waitFor("a", 100, true)).toBe(0);
});

it("makes a page again only after its time", () => {
  let [ms, made] = [0, 0];
  const page = sharePage(
    1000,
    () => (made += 1),
    () => ms,
  );
  expect([page(), page()]).toEqual([1, 1]);
  ms += 1000;
  expect(page()).toBe(2);
});
