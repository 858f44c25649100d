// One namespace sends more than can be decided, over TLS and with the process that decides.
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { pino } from "pino";
import { Agent, request } from "undici";
import { expect, it, onTestFinished } from "vitest";
import { NO_STORE } from "../../../src/bundle/follow/open-others.ts";
import { defaultSettings } from "../../../src/bundle/read-settings.ts";
import { issueAuthority, issueClient } from "../../../src/certificates/issue-certificate.ts";
import { projectPath } from "../../../src/local/processes/project-path.ts";
import { ringOf } from "../../../src/model/decision-annotation/key-ring.ts";
import { buildWebhook } from "../../../webhook/build-webhook.ts";
import type { WebhookParts } from "../../../webhook/webhook-parts.ts";
import { makeServingCertificate } from "../../../webhook/certificates/serving-certificate.ts";
import { reviewOf, vm } from "../../support/admission.ts";
import { policyFile } from "../../support/load-policy.ts";
import type { FloodJob, FloodResult } from "../../support/processes/flood.ts";

const CONNECTIONS = 96;
const SECONDS = 5;

const serving = await makeServingCertificate(["127.0.0.1"]);
const clients = await issueAuthority("test client CA");
const { key, certificate } = await issueClient(clients, { commonName: "kube-apiserver" });

interface Started {
  url: string;
  /** One connection of the API server. */
  calm: Agent;
}

async function isReady({ url, calm }: Started): Promise<boolean> {
  const { statusCode, body } = await request(`${url}/readyz`, { dispatcher: calm });
  await body.dump();
  return statusCode === 200;
}

/** A webhook that knows two namespaces. `decisionMs`: how long a request may wait. */
async function start(changes: Pick<WebhookParts, "decisionLog" | "decisionMs">): Promise<Started> {
  const bytes = await readFile(await policyFile());
  const tarball = { bytes, digest: "sha256:a", signed: false, signers: [] };
  const webhook = buildWebhook({
    bundle: {
      source: {
        ...{ ref: "memory", digest: () => Promise.resolve(tarball.digest), fetch: () => Promise.resolve(tarball) },
        ...{ trusts: () => true, verify: () => undefined, close: () => Promise.resolve() },
      },
      ...{ store: NO_STORE, settings: defaultSettings("off"), others: [] },
    },
    watchCluster: (onEvent) => {
      for (const name of ["flood", "calm"])
        onEvent({ type: "namespace", name, data: { name, labels: {}, annotations: {} } });
      return { hasSynced: () => true, readNamespace: () => Promise.resolve(null), stop: () => undefined };
    },
    ...{ canaries: () => Promise.resolve([]), recordEvent: () => undefined, pollToken: null },
    ...{ forecasts: null, scheduler: null, ...changes },
    keys: { ring: () => ringOf(Buffer.alloc(32, 7)), subscribe: () => undefined, stop: () => undefined },
    tls: {
      ...{ key: serving.key, cert: serving.cert, clientCa: clients.certificate.toString("pem") },
      clientName: "kube-apiserver",
    },
    logger: pino({ level: "silent" }),
  });
  const calm = new Agent({ connections: 1, connect: { ca: serving.ca, cert: certificate, key } });
  onTestFinished(async () => {
    await calm.close();
    await webhook.stop();
  });
  await webhook.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = webhook.app.server.address() as AddressInfo;
  const started = { url: `https://127.0.0.1:${String(port)}`, calm };
  while (!(await isReady(started))) await sleep(50);
  return started;
}

/** A dry run, of which nothing is reserved. */
const reviewIn = (namespace: string, username: string): string =>
  reviewOf(vm({ cpu: 2, memory: 4 }, { namespace }), { dryRun: true, userInfo: { username } });

/** Ms of requests of the other namespace, one after the other. */
async function askCalmly({ url, calm }: Started, isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  const headers = { "content-type": "application/json" };
  while (!isOver()) {
    const began = performance.now();
    const options = { method: "POST", body: reviewIn("calm", "anna"), dispatcher: calm, headers } as const;
    const { response } = (await (await request(`${url}/mutate`, options)).body.json()) as { response: object };
    times.push(performance.now() - began);
    expect(response).toMatchObject({ allowed: true });
  }
  return times;
}

async function flood({ url }: Started): Promise<FloodResult> {
  const job: FloodJob = {
    ...{ url: `${url}/mutate`, client: { key, certificate }, ca: serving.ca, body: reviewIn("flood", "robot") },
    ...{ connections: CONNECTIONS, seconds: SECONDS },
  };
  const program = projectPath("test/support/processes/flood.ts");
  const { stdout } = await execa(process.execPath, [program], { input: JSON.stringify(job) });
  return JSON.parse(stdout) as FloodResult;
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN;

it("one namespace waits for its own requests, and another one for few of them", async () => {
  const started = await start({ decisionLog: null });
  let isOver = false;
  const flooding = flood(started).finally(() => {
    isOver = true;
  });
  const times = await askCalmly(started, () => isOver);
  const result = await flooding;
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  const said = `${String(times.length)} calm requests: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
  process.stdout.write(`${said}; flood: ${JSON.stringify(result)}\n`);
  expect(result.other).toEqual([]);
  expect(result.allowed).toBeGreaterThan(CONNECTIONS);
  expect(times.length).toBeGreaterThan(20);
  // In one line, it would wait as long as those.
  expect(p50).toBeLessThan(result.p50 / 2);
  expect(p99).toBeLessThan(4000);
});

it("requests that would wait in vain are refused at once, so that clients repeat them", async () => {
  // Each waits for a second before it is decided.
  const decisionLog = {
    ...{ add: () => undefined, ready: () => sleep(1000), lost: () => 0, close: () => Promise.resolve() },
  };
  const result = await flood(await start({ decisionLog, decisionMs: 1600 }));
  process.stdout.write(`flood: ${JSON.stringify(result)}\n`);
  expect(result.other).toEqual([]);
  expect(result.later).toBeGreaterThan(CONNECTIONS);
  expect(result.allowed).toBeGreaterThan(0);
});
