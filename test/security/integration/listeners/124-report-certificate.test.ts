import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import pino from "pino";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { serveReports } from "../../../../src/composition/report/serve-reports.ts";
import { ringOf } from "../../../../src/model/decision-annotation/key-ring.ts";
import { certificateOf } from "../../../support/services/certificate-of.ts";

let folder: string;
const failures: unknown[] = [];
const onFailure = (thrown: unknown): void => {
  failures.push(thrown);
};
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-certificate-"));
  // The server's own timers are real.
  vi.useFakeTimers({ toFake: ["setInterval"] });
  process.prependListener("unhandledRejection", onFailure);
});
afterEach(async () => {
  vi.useRealTimers();
  process.off("unhandledRejection", onFailure);
  await rm(folder, { recursive: true });
});

const issue = () => certificateOf(new Date(Date.now() - 60_000), new Date(Date.now() + 3_600_000));
const write = (name: "tls.crt" | "tls.key", text: string): Promise<void> => writeFile(join(folder, name), text);

/** SHA-256 of the certificate that the listener shows. */
const shown = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.once("error", reject);
  });

it("124: a certificate that does not fit its key while both are replaced ends no controller, and is read again", async () => {
  const [first, second] = [await issue(), await issue()];
  await write("tls.crt", first.certificate);
  await write("tls.key", first.key);
  const log = pino({ level: "silent" });
  const warn = vi.spyOn(log, "warn");
  const runs = { read: () => Promise.resolve(null), change: () => Promise.reject(new Error("not called")) };
  const options = { port: 0, tlsDirectory: folder, url: "https://127.0.0.1" };
  const ring = ringOf(Buffer.alloc(32, 1));
  const { port, stop } = await serveReports({ options, runs, ring: () => ring, onReport: () => undefined, log });
  const before = await shown(port);
  await write("tls.crt", second.certificate);
  await vi.advanceTimersByTimeAsync(60_000);
  await vi.waitFor(() => {
    expect(failures.length + warn.mock.calls.length).toBeGreaterThan(0);
  });
  expect(failures).toEqual([]);
  expect(await shown(port)).toBe(before);
  await write("tls.key", second.key);
  await vi.advanceTimersByTimeAsync(60_000);
  await vi.waitFor(async () => {
    expect(await shown(port)).not.toBe(before);
  });
  await stop();
});
