import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, expect, it, vi } from "vitest";
import type { Tarball } from "../../../src/bundle/open-source.ts";
import { NO_STORE } from "../../../src/bundle/follow/open-others.ts";
import { defaultSettings } from "../../../src/bundle/read-settings.ts";
import { issueAuthority } from "../../../src/certificates/issue-certificate.ts";
import type { ForecastBook } from "../../../src/model/places/forecast.ts";
import { buildWebhook, type Webhook, type WebhookParts } from "../../../webhook/build-webhook.ts";
import { makeServingCertificate } from "../../../webhook/certificates/serving-certificate.ts";
import { reviewOf, vm } from "../../support/admission.ts";
import { policyFile } from "../../support/load-policy.ts";
import { ringOf } from "../../../src/model/decision-annotation/key-ring.ts";

const bytes = await readFile(await policyFile());
const serving = await makeServingCertificate(["127.0.0.1"]);
const clientCa = (await issueAuthority("test client CA")).certificate.toString("pem");
const TARBALL: Tarball = { bytes, digest: "sha256:a", signed: false, signers: [] };

type Answer = Awaited<ReturnType<Webhook["app"]["inject"]>>;

interface Built {
  webhook: Webhook;
  /** What happened to the parts, in order. */
  calls: string[];
  lines: string[];
  /** Publishes changed forecasts. */
  change: (book: ForecastBook) => void;
}

let running: Webhook | null = null;
afterEach(async () => {
  await running?.stop();
  running = null;
});

/** A webhook of parts in memory. `fetch` gives its bundle. */
function build(fetch: () => Promise<Tarball>, changes: Partial<WebhookParts> = {}): Built {
  const calls: string[] = [];
  const lines: string[] = [];
  let change: Built["change"] = () => expect.fail("nobody subscribed");
  const note = (call: string) => () => Promise.resolve(void calls.push(call));
  const parts: WebhookParts = {
    bundle: {
      source: {
        ...{ ref: "memory", digest: () => Promise.resolve(TARBALL.digest), fetch, close: note("source closed") },
        trusts: () => true,
        verify: () => undefined,
      },
      store: NO_STORE,
      settings: defaultSettings("off"),
      others: [],
    },
    watchCluster: (onEvent) => {
      for (const name of ["default", "demo"])
        onEvent({ type: "namespace", name, data: { name, labels: {}, annotations: {} } });
      const readNamespace = (): Promise<null> => Promise.resolve(null);
      return { hasSynced: () => true, readNamespace, stop: () => void calls.push("watch stopped") };
    },
    canaries: () => Promise.resolve([]),
    recordEvent: ({ type, reason }) => void calls.push(`${type} ${reason}`),
    forecasts: {
      urls: {},
      book: () => ({ sources: [] }),
      follow: note("forecasts followed"),
      status: () => [],
      subscribe: (listener) => (change = listener),
      stop: note("forecasts stopped"),
    },
    scheduler: null,
    decisionLog: {
      add: (line) => void lines.push(line),
      ready: () => Promise.resolve(),
      lost: () => 7,
      close: note("log closed"),
    },
    pollToken: "secret",
    keys: { ring: () => ringOf(Buffer.alloc(32, 7)), subscribe: () => undefined, stop: () => undefined },
    tls: { key: serving.key, cert: serving.cert, clientCa, clientName: "kube-apiserver" },
    logger: pino({ level: "silent" }),
    ...changes,
  };
  const webhook = (running = buildWebhook(parts));
  // Requests that are injected have no TLS socket: this header stands for the API server's certificate.
  webhook.app.addHook("onRequest", (request, _reply, done) => {
    const getPeerCertificate = () => ({ subject: { CN: "kube-apiserver" } });
    const isServer = request.headers["x-certificate"] !== undefined;
    if (isServer) Object.assign(request.raw.socket, { authorized: true, getPeerCertificate });
    done();
  });
  return { webhook, calls, lines, change: (book) => change(book) };
}

async function ready({ webhook }: Built): Promise<void> {
  while ((await webhook.app.inject("/readyz")).statusCode !== 200) await sleep(20);
}

const mutate = (webhook: Webhook, certificate = true): Promise<Answer> =>
  webhook.app.inject({
    method: "POST",
    url: "/mutate",
    headers: { "content-type": "application/json", ...(certificate ? { "x-certificate": "yes" } : {}) },
    payload: reviewOf(vm({ cpu: 2, memory: 4 }), { uid: "u1" }),
  });

it("answers an AdmissionReview, logs the decision, and follows the zones of its bundle", async () => {
  const built = build(() => Promise.resolve(TARBALL));
  await ready(built);
  const answer = await mutate(built.webhook);
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({ response: { uid: "u1", allowed: true, patchType: "JSONPatch" } });
  expect(built.lines).toHaveLength(1);
  expect(built.calls).toEqual(["forecasts followed", "Normal BundleActive"]);
  built.change({ sources: [] });
  expect((await mutate(built.webhook)).json()).toMatchObject({ response: { allowed: true } });
});

it("refuses callers without the API server's certificate", async () => {
  const built = build(() => Promise.resolve(TARBALL));
  const answer = await mutate(built.webhook, false);
  expect(answer.statusCode).toBe(403);
  expect(answer.body).toContain("ADM_CLIENT_CERTIFICATE");
});

it("denies with a code while no bundle is active, and polls for one when asked with the token", async () => {
  let fetched = 0;
  const broken = { ...TARBALL, bytes: Buffer.from("no bundle") };
  const built = build(() => Promise.resolve((fetched += 1) === 1 ? broken : TARBALL));
  const poll = (token: string): Promise<Answer> =>
    built.webhook.app.inject({
      ...{ method: "POST", url: "/bundle/poll", headers: { authorization: `Bearer ${token}` }, payload: "" },
    });
  expect((await poll("secret")).statusCode).toBe(200);
  expect(built.calls).toEqual(["Warning BundleNotUsed"]);
  expect((await poll("guess")).statusCode).toBe(401);
  const { response } = (await mutate(built.webhook)).json<{ response: { status: { message: string } } }>();
  expect(response).toMatchObject({ uid: "u1", allowed: false });
  expect(response.status.message).toContain("[BUNDLE_NONE]");
  expect((await built.webhook.app.inject("/readyz")).statusCode).toBe(503);
});

it("serves metrics with Prometheus' content type", async () => {
  const built = build(() => Promise.resolve(TARBALL));
  await ready(built);
  const { headers, body } = await built.webhook.app.inject("/metrics");
  expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(body).toContain("landfall_decision_log_lost_total 7\n");
  expect(body).toContain('landfall_bundle_info{bundle="landfall",fact="active",digest="sha256:a"} 1\n');
});

const processes = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "ProcessWrap").length;
const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;

it("closes its parts, its process and its timers", async () => {
  const timersBefore = timers();
  const built = build(() => Promise.resolve(TARBALL));
  await ready(built);
  expect(processes()).toBe(1);
  await built.webhook.stop();
  running = null;
  expect(built.calls.slice(2)).toEqual(["forecasts stopped", "source closed", "log closed", "watch stopped"]);
  await vi.waitFor(() => expect(processes()).toBe(0), 5000);
  expect(timers()).toBeLessThanOrEqual(timersBefore);
});

it("closes the other parts if one cannot be closed", async () => {
  const scheduler = { ask: () => expect.fail("asked"), close: () => Promise.reject(new Error("still in use")) };
  const built = build(() => Promise.resolve(TARBALL), { scheduler });
  await ready(built);
  await expect(built.webhook.stop()).rejects.toThrow("still in use");
  running = null;
  expect(built.calls.slice(2)).toEqual(["forecasts stopped", "source closed", "log closed", "watch stopped"]);
});
