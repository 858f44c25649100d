import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Tarball } from "../../../src/bundle/open-source.ts";
import { NO_STORE } from "../../../src/bundle/follow/open-others.ts";
import { defaultSettings } from "../../../src/bundle/read-settings.ts";
import { issueAuthority } from "../../../src/certificates/issue-certificate.ts";
import { openTracer } from "../../../src/cluster/tracing/open-tracer.ts";
import type { Tracer } from "../../../src/cluster/tracing/span.ts";
import type { ForecastBook } from "../../../src/model/places/forecast.ts";
import { buildWebhook } from "../../../webhook/build-webhook.ts";
import type { Webhook, WebhookParts } from "../../../webhook/webhook-parts.ts";
import { makeServingCertificate } from "../../../webhook/certificates/serving-certificate.ts";
import { reviewOf, vm } from "../../support/admission.ts";
import { policyFile } from "../../support/load-policy.ts";
import { type Collector, type ReceivedSpan, startCollector } from "../../support/services/collector.ts";
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
    pollToken: () => Promise.resolve("secret"),
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

describe("traces", () => {
  const TRACE = "0af7651916cd43dd8448eb211c80319c";
  const traceparent = `00-${TRACE}-b7ad6b7169203331-01`;
  let collector: Collector;
  let tracer: Tracer | null;
  beforeEach(async () => {
    collector = await startCollector();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    tracer = await openTracer({ env, serviceName: "landfall-webhook", log: pino({ level: "silent" }) });
  });
  afterEach(async () => {
    await tracer?.stop();
    await collector.close();
  });
  const spanOf = (wanted: string): ReceivedSpan =>
    collector.spans.find(({ name }) => name === wanted) ?? expect.fail(`there is no span ${wanted}`);
  const ask = (built: Built, headers: Record<string, string>): Promise<Answer> =>
    built.webhook.app.inject({
      ...{ method: "POST", url: "/mutate", headers: { "content-type": "application/json", traceparent, ...headers } },
      payload: reviewOf(vm({ cpu: 2, memory: 4, userData: "#cloud-config\npassword: hunter2" }), {
        uid: "u1",
        userInfo: { username: "anna@example.org" },
      }),
    });

  it("show the stages of an admission, with its decision, below the span of the API server", async () => {
    const built = build(() => Promise.resolve(TARBALL), { tracer });
    await ready(built);
    const beganMs = Date.now();
    const { response } = (await ask(built, { "x-certificate": "yes" })).json<{
      response: { auditAnnotations: { decision: string } };
    }>();
    await tracer?.stop();
    const { spans } = collector;
    const root = spanOf("admission placement");
    expect(root).toMatchObject({
      ...{ service: "landfall-webhook", name: "admission placement", traceId: TRACE },
      parentSpanId: "b7ad6b7169203331",
    });
    expect(root.attributes).toEqual({
      ...{ "landfall.webhook": "placement", "landfall.outcome": "allowed", "landfall.kind": "VmTemplate" },
      ...{ "landfall.operation": "CREATE", "landfall.review": "u1", "k8s.namespace.name": "demo" },
      "landfall.decision": response.auditAnnotations.decision,
    });
    const decide = spanOf("decide");
    const parents = Object.fromEntries(spans.map(({ name, parentSpanId }) => [name, parentSpanId]));
    expect(parents).toEqual({
      ...{ "admission placement": "b7ad6b7169203331", wait: root.spanId, decode: root.spanId },
      ...{ decide: root.spanId, sign: decide.spanId, reserve: root.spanId },
    });
    expect(Number(decide.attributes["landfall.policy_ms"])).toBeGreaterThan(0);
    for (const one of spans) {
      expect(one.traceId).toBe(TRACE);
      expect(one.beganMs).toBeGreaterThanOrEqual(beganMs - 2);
      expect(one.endedMs).toBeGreaterThanOrEqual(one.beganMs);
      expect(one.endedMs).toBeLessThanOrEqual(root.endedMs + 0.01);
    }
    const told = JSON.stringify(spans);
    expect(told).not.toMatch(/hunter2|anna|"web"/);
  });

  it("do not follow a caller without an identity", async () => {
    const unauthenticated = { read: () => Promise.resolve(null), perSecond: 100 };
    const authentication = { mode: "none", checkToken: null, unauthenticated } as const;
    const built = build(() => Promise.resolve(TARBALL), { tracer, authentication });
    await ready(built);
    expect((await ask(built, {})).statusCode).toBe(200);
    await tracer?.stop();
    expect(collector.spans.length).toBeGreaterThan(1);
    expect(collector.spans.filter(({ traceId }) => traceId === TRACE)).toEqual([]);
  });

  it("keep no answer waiting while the collector hangs", async () => {
    collector.hang();
    const built = build(() => Promise.resolve(TARBALL), { tracer });
    await ready(built);
    const beganAt = performance.now();
    for (let round = 0; round < 20; round += 1)
      expect((await ask(built, { "x-certificate": "yes" })).statusCode).toBe(200);
    expect(performance.now() - beganAt).toBeLessThan(4000);
  });
});
