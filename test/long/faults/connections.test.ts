// Peers that hold the webhook's connections, and a certificate that expires.
import { once } from "node:events";
import { request } from "node:https";
import { connect as dial } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import type { Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readAuthority } from "../../../src/certificates/issue-certificate.ts";
import type { Resource } from "../../../src/model/kubernetes.ts";
import { CERTIFICATE_SECRET } from "../../../src/model/names.ts";
import { readStored, secretOf } from "../../../webhook/certificates/stored-certificate.ts";
import { signServingCertificate } from "../../../webhook/certificates/serving-certificate.ts";
import { type Applied, type Night, named, refusalsOf, startNight, tell, until } from "../../support/faults/night.ts";

const IDLE = 1000;
const SLOW = 100;
const OBJECTS = 50;
/** Not the API server's, which comes from 127.0.0.1 here. */
const ADDRESSES = Array.from({ length: 20 }, (_, index) => `127.0.1.${String(index + 1)}`);
const SECRET = `/api/v1/namespaces/landfall-system/secrets/${CERTIFICATE_SECRET}`;
const DAY_MS = 24 * 3600 * 1000;

let night: Night;
let port: number;
const sockets: Socket[] = [];
const timers: NodeJS.Timeout[] = [];

beforeAll(async () => {
  night = await startNight({ helmBy: "worker" });
  port = Number(new URL(night.landfall.webhookUrl ?? "").port);
});
afterAll(async () => {
  for (const timer of timers) clearInterval(timer);
  for (const socket of sockets) socket.destroy();
  await night.stop();
});

function keep<T extends Socket>(socket: T): T {
  socket.on("error", () => undefined).resume();
  sockets.push(socket);
  return socket;
}

const from = (index: number): string => ADDRESSES[index % ADDRESSES.length] ?? "";

async function hold(index: number): Promise<TLSSocket> {
  const to = { host: "127.0.0.1", port, localAddress: from(index), rejectUnauthorized: false };
  const socket = keep(connect(to));
  await Promise.race([once(socket, "secureConnect"), once(socket, "close")]);
  return socket;
}

/** A request of which a byte comes each second, and a handshake that never comes. */
async function crawl(index: number): Promise<void> {
  keep(dial({ host: "127.0.0.1", port, localAddress: from(index) }));
  const socket = await hold(index);
  const text = `POST /mutate HTTP/1.1\r\nhost: webhook\r\ncontent-length: 100000\r\nx-slow: ${"a".repeat(10_000)}`;
  let at = 0;
  timers.push(setInterval(() => socket.writable && socket.write(text[(at += 1)] ?? "a"), 1000));
}

const p50 = (applied: readonly Applied[]): number =>
  applied.map(({ seconds }) => seconds).sort((a, b) => a - b)[Math.floor(applied.length / 2)] ?? 0;

async function applySlowly(names: readonly string[]): Promise<Applied[]> {
  const applied: Applied[] = [];
  for (const name of names) applied.push(await night.apply(name));
  return applied;
}

it(`${String(IDLE)} idle connections and ${String(SLOW)} slow ones keep out no object`, async () => {
  const [before, during] = [named("alone", OBJECTS), named("crowded", OBJECTS)];
  const alone = await applySlowly(before);
  await Promise.all(Array.from({ length: IDLE }, (_, index) => hold(index)));
  await Promise.all(Array.from({ length: SLOW }, (_, index) => crawl(index)));
  const held = sockets.filter((socket) => !socket.closed).length;
  const crowded = await applySlowly(during);
  const left = sockets.filter((socket) => !socket.closed).length;
  tell(`${String(IDLE)} idle and ${String(SLOW)} slow connections`, {
    ...{ "open at the beginning": held, "open at the end": left },
    ...{ "median ms alone": p50(alone) * 1000, "median ms meanwhile": p50(crowded) * 1000 },
    seen: refusalsOf(crowded),
  });
  expect(refusalsOf(crowded)).toEqual([]);
  await night.untilReady([...before, ...during], 240);
  await night.count([...before, ...during]);
  await night.clear([...before, ...during], 240);
});

/** The end of the certificate that the webhook serves, in ms since 1970. */
const servedUntil = async (): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path: "/healthz", rejectUnauthorized: false, agent: false });
    sent.on("error", reject);
    sent.on("response", (answer) => {
      answer.resume();
      resolve(Date.parse((answer.socket as TLSSocket).getPeerCertificate().valid_to));
    });
    sent.end();
  });

/** Puts an expired certificate of the same CA into the Secret. */
async function expire(): Promise<void> {
  const secret = (await night.api.get<Resource>(SECRET)) as Resource;
  const stored = readStored(secret, SECRET);
  const authority = await readAuthority({ certificate: stored.ca, key: stored.caKey });
  const life = { nowMs: Date.now() - 91 * DAY_MS, days: 90 };
  const { cert, key } = await signServingCertificate(authority, ["127.0.0.1"], life);
  const name = { name: CERTIFICATE_SECRET, namespace: "landfall-system" };
  await night.api.replace(SECRET, secretOf({ ...stored, cert, key }, name, secret));
}

it("a certificate that expired while nothing ran is renewed before the first admission", async () => {
  await night.kubelet.kill("webhook");
  await expire();
  const began = performance.now();
  night.kubelet.start("webhook");
  const applied = await Promise.all(named("expired", 5).map((one) => night.apply(one)));
  const admitted = (performance.now() - began) / 1000;
  expect(await servedUntil()).toBeGreaterThan(Date.now() + 30 * DAY_MS);
  tell("an expired certificate at the start", { admitted, seen: refusalsOf(applied) });
  expect(refusalsOf(applied).filter((text) => /certificate/i.test(text))).toEqual([]);
  await night.untilReady(named("expired", 5), 120);
});

it("an expired certificate in the Secret of a running webhook is replaced and never served", async () => {
  await expire();
  const names = named("running", 20);
  const applied = await applySlowly(names);
  const renewed = await until("a valid certificate in the Secret", 90, async () => {
    const { cert } = readStored((await night.api.get<Resource>(SECRET)) as Resource, SECRET);
    const { X509Certificate } = await import("node:crypto");
    return new X509Certificate(cert).validToDate.getTime() > Date.now();
  });
  tell("an expired certificate while it runs", { renewed, seen: refusalsOf(applied) });
  expect([refusalsOf(applied), (await servedUntil()) > Date.now()]).toEqual([[], true]);
  await night.untilReady([...names, ...named("expired", 5)], 120);
  await night.count([...names, ...named("expired", 5)]);
});
