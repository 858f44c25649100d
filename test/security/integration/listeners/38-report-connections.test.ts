import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { serveReports } from "../../../../src/composition/report/serve-reports.ts";
import { ringOf } from "../../../../src/model/decision-annotation/key-ring.ts";
import { certificateOf } from "../../../support/services/certificate-of.ts";

const UID = "11111111-1111-4111-8111-111111111111";
const ring = ringOf(Buffer.alloc(32, 1));

let folder: string;
let certificate: string;
let port: number;
let stop: () => Promise<void>;
let open: Socket[];

beforeEach(async () => {
  open = [];
  folder = await mkdtemp(join(tmpdir(), "landfall-reports-"));
  const issued = await certificateOf(new Date(Date.now() - 60_000), new Date(Date.now() + 3_600_000));
  ({ certificate } = issued);
  await writeFile(join(folder, "tls.crt"), certificate);
  await writeFile(join(folder, "tls.key"), issued.key);
  const runs = { read: () => Promise.resolve(null), change: () => Promise.reject(new Error("not called")) };
  const options = { port: 0, tlsDirectory: folder, url: "https://127.0.0.1" };
  const log = pino({ level: "silent" });
  ({ port, stop } = await serveReports({ options, runs, ring: () => ring, onReport: () => undefined, log }));
});
afterEach(async () => {
  for (const socket of open) socket.destroy();
  await stop();
  await rm(folder, { recursive: true });
});

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) resolve();
    socket.on("close", () => {
      resolve();
    });
  });

/** A connection that sends nothing, from an address of this machine. */
function silent(localAddress: string, tls = false): Promise<Socket> {
  const to = { host: "127.0.0.1", port, localAddress };
  const socket = tls ? connectTls({ ...to, ca: certificate }) : connect(to);
  socket.on("error", () => undefined).resume();
  open.push(socket);
  return new Promise((resolve) => {
    socket.on(tls ? "secureConnect" : "connect", () => {
      resolve(socket);
    });
  });
}

/** The status of a report, or the code of the failure. */
function report(): Promise<string> {
  return new Promise((resolve) => {
    const path = `/v1/runs/${UID}`;
    const given = { host: "127.0.0.1", port, path, method: "POST", ca: certificate, localAddress: "127.0.0.1" };
    const sent = request({ ...given, agent: false, timeout: 3000 }, (response) => {
      response.resume();
      resolve(String(response.statusCode));
    });
    sent.on("timeout", () => sent.destroy());
    sent.on("error", ({ message }) => {
      resolve(message);
    });
    sent.end('{"exitCode": 0}');
  });
}

describe("silent connections to the listener of reports", () => {
  it.each(["127.0.0.2", "127.0.0.1"])("do not keep out another machine, from %s", async (address) => {
    await Promise.all(Array.from({ length: 200 }, () => silent(address)));
    expect(await report()).toBe("401");
  });

  it("of one address do not end those of another", async () => {
    const one = await silent("127.0.0.3");
    const many = await Promise.all(Array.from({ length: 200 }, () => silent("127.0.0.2")));
    await Promise.race(many.map(closed));
    expect(await report()).toBe("401");
    expect(many.filter((socket) => socket.closed).length).toBeGreaterThan(100);
    expect(one.closed).toBe(false);
  });

  it("end after a few seconds, before and after the handshake", async () => {
    const both = await Promise.all([silent("127.0.0.1"), silent("127.0.0.1", true)]);
    await Promise.all(both.map(closed));
    expect(both.every((socket) => socket.closed)).toBe(true);
  }, 12_000);

  it("do not hold up the end of the controller", async () => {
    await silent("127.0.0.1");
    const before = performance.now();
    await stop();
    stop = () => Promise.resolve();
    expect(performance.now() - before).toBeLessThan(4000);
  });
});
