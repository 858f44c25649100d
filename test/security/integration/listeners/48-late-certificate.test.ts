import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import pino from "pino";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { keepServing } from "../../../../src/composition/report/keep-serving.ts";
import { ringOf } from "../../../../src/model/decision-annotation/key-ring.ts";
import { certificateOf } from "../../../support/services/certificate-of.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-late-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => {
      resolve(false);
    });
  });

function serve(port: number) {
  const runs = { read: () => Promise.resolve(null), change: () => Promise.reject(new Error("not called")) };
  const log = pino({ level: "silent" });
  const error = vi.spyOn(log, "error");
  const options = { port, tlsDirectory: folder, url: "https://127.0.0.1" };
  const ring = ringOf(Buffer.alloc(32, 1));
  return { error, stop: keepServing({ options, runs, ring: () => ring, onReport: () => undefined, log }, 20) };
}

it("48: the listener of machines' reports begins as soon as its certificate is there, and says once why it waits", async () => {
  const port = await freePort();
  const { error, stop } = serve(port);
  await vi.waitFor(() => {
    expect(error).toHaveBeenCalled();
  });
  expect(await answers(port)).toBe(false);
  const issued = await certificateOf(new Date(Date.now() - 60_000), new Date(Date.now() + 3_600_000));
  await writeFile(join(folder, "tls.crt"), issued.certificate);
  await writeFile(join(folder, "tls.key"), issued.key);
  await vi.waitFor(
    async () => {
      expect(await answers(port)).toBe(true);
    },
    { timeout: 20_000, interval: 20 },
  );
  const told = error.mock.calls.map(([about]) => JSON.stringify(about)).filter((text) => text.includes("tls.crt"));
  expect(told).toEqual([expect.stringContaining("RUN_REPORT_LISTENER")]);
  await stop();
  expect(await answers(port)).toBe(false);
});

it("48: a controller that stops before there is a certificate waits for nothing", async () => {
  const { error, stop } = serve(await freePort());
  await vi.waitFor(() => {
    expect(error).toHaveBeenCalled();
  });
  await stop();
});
