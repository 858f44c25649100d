import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runProgram } from "../../src/bundle/run-program.ts";
import { type Landfall, startLandfall } from "../../src/local/landfall/start-landfall.ts";
import { WEBHOOK_CLIENT } from "../../src/local/control-plane/write-pki.ts";
import { freePorts } from "../../src/local/processes/free-ports.ts";
import { sha256Digest } from "../../src/model/sha256.ts";
import type { BundleStatus } from "../../webhook/bundle-watch/bundle-status.ts";
import { reviewOf, vm } from "../support/admission.ts";
import { type JsonService, startJsonService } from "../support/services/json-service.ts";
import { carbonImage, teamBundle } from "../support/bundles/other-bundles.ts";
import { moveTag, publishSigned } from "../support/bundles/publish-signed.ts";
import { changedBundle, numbered } from "../support/bundles/watched-bundle.ts";
import { SCALE } from "../support/scale.ts";
import { nowSeconds } from "../../src/model/time.ts";

const TOKEN = "poll-now";
let base: string;
let landfall: Landfall;
let crane: string;
let agent: Agent;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-reload-"));
  landfall = await startLandfall({ dir: join(base, "plane"), env: process.env, components: ["webhook"] });
  crane = await landfall.tool("crane");
  const { certificate: cert, key } = landfall.pki.webhookClient;
  agent = new Agent({ connect: { rejectUnauthorized: false, cert, key } });
});

const children: ChildProcess[] = [];
const services: JsonService[] = [];

afterAll(async () => {
  for (const child of children) child.kill("SIGTERM");
  await Promise.all(services.map((service) => service.close()));
  await agent.close();
  await landfall.stop();
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

const publish = (bytes: Uint8Array, tag: string): Promise<string> => publishSigned(landfall, bytes, tag);
const move = (ref: string, tag: string): Promise<void> => moveTag(landfall, ref, tag);

async function get(url: string, path: string): Promise<string> {
  const { statusCode, body } = await request(url + path, { dispatcher: agent });
  const text = await body.text();
  expect(statusCode).toBe(200);
  return text;
}

const statusOf = async (url: string): Promise<BundleStatus> =>
  (JSON.parse(await get(url, "/status")) as { bundle: BundleStatus }).bundle;

/** Two of each of the three bundles; the long test makes fifty. */
const RELOADS = SCALE === 1 ? 6 : 10 * SCALE;
/** The registry is asked every 2 s; other tests run beside this one. */
const POLLED = { timeout: 30_000, interval: 50 };
// A dry run: thousands of creations that are never stored would hold the namespace back (ADM_UNSTORED).
const REVIEW = reviewOf(vm({ cpu: 2, memory: 4 }), { dryRun: true });

interface Answered {
  ms: number;
  /** The tarball's digest that the decision names; what went wrong instead. */
  bundle: string;
  at: number;
}

/** Ms between two requests of a connection: in `npm test` other tests need the processor, too. */
const PAUSE_MS = SCALE === 1 ? 100 : 0;

/** 16 connections that ask until they are told to stop. */
function load(url: string): { answered: (count: number) => Promise<void>; stop: () => Promise<Answered[]> } {
  let going = true;
  const answers: Answered[] = [];
  const pool = new Agent({ connections: 16, connect: { rejectUnauthorized: false, ...clientPair() } });
  const ask = async (): Promise<void> => {
    while (going) {
      const began = performance.now();
      const { statusCode, body } = await request(`${url}/mutate`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: REVIEW,
        dispatcher: pool,
      });
      const text = await body.text();
      const { response } = JSON.parse(text) as {
        response: { allowed: boolean; auditAnnotations?: { bundle: string } };
      };
      const good = statusCode === 200 && response.allowed;
      answers.push({
        ms: performance.now() - began,
        bundle: good ? (response.auditAnnotations?.bundle ?? "none") : text,
        at: performance.now(),
      });
      await sleep(PAUSE_MS);
    }
  };
  const asking = Promise.all(Array.from({ length: 16 }, ask));
  return {
    answered: (count) => vi.waitFor(() => expect(answers.length).toBeGreaterThanOrEqual(count), 60_000),
    stop: async () => {
      going = false;
      await asking;
      await pool.close();
      return answers;
    },
  };
}

const clientPair = (): { cert: string; key: string } => ({
  cert: landfall.pki.webhookClient.certificate,
  key: landfall.pki.webhookClient.key,
});

/** A second webhook on the same cluster, which follows a tag of its own and only when it is told to. */
async function startOwn(tag: string, name: string, ...more: string[]): Promise<{ url: string; child: ChildProcess }> {
  const [port = 0] = await freePorts(1);
  const { paths } = landfall.stage;
  const settings = join(paths.root, `${name}.yaml`);
  await writeFile(settings, "keys: [bundle.pub]\npoll: {seconds: 3600}\n");
  await writeFile(join(base, "token"), `${TOKEN}\n`);
  const args = [
    fileURLToPath(new URL("../../webhook/main.ts", import.meta.url)),
    ...["--port", String(port), "--kubeconfig", paths.kubeconfigOf("webhook"), "--log-level", "warn"],
    ...["--bundle", `${landfall.registry}/policies/landfall:${tag}`, "--bundle-settings", settings, "--plain-http"],
    ...["--crane", crane, "--poll-token-file", join(base, "token"), "--data-dir", join(base, name)],
    ...["--client-ca", landfall.pki.files.webhookClientAuthority, "--client-name", WEBHOOK_CLIENT, ...more],
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
  const url = `https://127.0.0.1:${String(port)}`;
  children.push(child);
  for (let tries = 0; tries < 1200; tries += 1) {
    const ready = await request(`${url}/readyz`, { dispatcher: agent }).then(
      async ({ statusCode, body }) => (await body.dump(), statusCode === 200),
      () => false,
    );
    if (ready) return { url, child };
    await sleep(50);
  }
  expect.fail("the second webhook did not become ready");
}

async function pollNow(url: string, token = TOKEN): Promise<number> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/vnd.docker.distribution.events.v1+json",
  };
  const { statusCode, body } = await request(`${url}/bundle/poll`, {
    method: "POST",
    body: "{}",
    headers,
    dispatcher: agent,
  });
  await body.dump();
  return statusCode;
}

const stallMs = async (url: string): Promise<number> =>
  1000 * Number(/^landfall_event_loop_delay_max_seconds (.*)$/m.exec(await get(url, "/metrics"))?.[1]);

/** When the machine of a dry run would start, and what was missing for that. */
async function startOf(url: string, spec: object): Promise<{ start: string; degraded: string[] }> {
  const review = JSON.parse(REVIEW) as { request: object };
  const asked = { ...review.request, dryRun: true, object: vm({ cpu: 2, memory: 4, ...spec }) };
  const body = JSON.stringify({ ...review, request: asked });
  const headers = { "content-type": "application/json" };
  const answer = await request(`${url}/mutate`, { method: "POST", headers, body, dispatcher: agent });
  const { response } = (await answer.body.json()) as { response: { patch: string; warnings?: string[] } };
  const patch = JSON.parse(Buffer.from(response.patch, "base64").toString()) as { path: string; value: string }[];
  const start = patch.find(({ path }) => path === "/spec/schedulingTime")?.value ?? "";
  return { start, degraded: response.warnings ?? [] };
}

describe("sources of forecasts and an external scheduler", () => {
  const now = nowSeconds();
  const iso = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, -5)}Z`;
  const nextHour = Math.ceil(now / 3600) * 3600;
  const hour = (count: number): string => iso(nextHour + count * 3600);
  const GERMANY = { duration: "1h", deadline: hour(24), provider: "gcp", schedulingLocation: "europe-west3" };
  let answer = { scheduling_time: iso(now + 18_000), scheduling_location: "DE" };
  let outside: JsonService;
  let url: string;

  beforeAll(async () => {
    outside = await startJsonService(() => ({ status: 200, body: answer }));
    const hanging = await startJsonService(() => ({ status: 200, body: {} }));
    services.push(outside, hanging);
    hanging.fail({ times: 1e9, kind: "hang" });
    const values = Array.from({ length: 30 }, (_, count) => (count === 11 ? 5 : 300));
    await writeFile(join(base, "forecast.json"), JSON.stringify({ zones: { DE: { start: hour(0), values } } }));
    const sources = [
      { name: "hanging", type: "electricity-maps", url: hanging.url, http: { timeoutMs: 60_000 } },
      { name: "file", type: "file", path: "forecast.json" },
    ];
    await writeFile(join(base, "forecasts.yaml"), JSON.stringify({ sources }));
    const flags = ["--scheduler", `${outside.url}/schedule`, "--forecast-settings", join(base, "forecasts.yaml")];
    ({ url } = await startOwn("local", "sources", ...flags));
  });

  it("asks the scheduler of --scheduler, and checks its answer", async () => {
    expect(await startOf(url, GERMANY)).toMatchObject({ start: answer.scheduling_time });
    answer = { ...answer, scheduling_location: "FR" };
    const { degraded } = await startOf(url, GERMANY);
    expect(degraded.filter((text) => text.includes("SCHEDULER"))).toEqual([
      "the external scheduler chose FR, which is not an eligible region; the embedded scheduler chose instead [SCHEDULER_REGION]",
    ]);
    expect(outside.asked).toEqual(["/schedule", "/schedule"]);
  });

  it("decides at once by the next source while one hangs, and reports it in /status", async () => {
    // Not an eligible region: the embedded scheduler decides, by the forecasts.
    answer = { ...answer, scheduling_location: "FR" };
    // Files are read once a bundle says which zones count: the first decisions need not know of them.
    await vi.waitFor(async () => {
      expect(await get(url, "/metrics")).toContain('landfall_forecast_zones{source="file"} 1\n');
    }, 10_000);
    const began = performance.now();
    const asked = await startOf(url, GERMANY);
    expect(performance.now() - began).toBeLessThan(2000);
    expect(asked.start).toBe(hour(11));
    const pending = asked.degraded.filter((text) => text.includes("FORECAST"));
    expect(pending).toEqual(["hanging has not answered yet; file was used instead [FORECAST_PENDING]"]);
    const { forecasts } = JSON.parse(await get(url, "/status")) as { forecasts: { name: string; zones: number }[] };
    const metrics = await get(url, "/metrics");
    expect(metrics).toContain('landfall_forecast_zones{source="hanging"} 0\n');
    expect(metrics).toContain('landfall_forecast_failing{source="file"} 0\n');
    expect(forecasts).toMatchObject([
      { name: "hanging", zones: 0 },
      { name: "file", zones: 1, lastError: null },
    ]);
  });
});

/** A team's bundle with one warning. */
const team = (): Promise<Buffer> =>
  teamBundle("security", {
    "security.rego": 'package landfall.custom.security\n\nwarnings contains "looked at"\n',
  });

describe("bundles beside the platform's, and the decision log", () => {
  const log = (): string => join(base, "decisions.json");
  const digestOf = async (url: string, name: string): Promise<string | undefined> =>
    (await statusOf(url)).others[name]?.active?.digest;
  let carbon: string;
  let url: string;
  let child: ChildProcess;
  let active: BundleStatus;

  beforeAll(async () => {
    carbon = await publish(carbonImage(200), "carbon-1");
    await move(carbon, "carbon");
    await move(await publish(await team(), "security-1"), "security");
    const beside = (name: string, kind: string): object => ({
      ...{ name, kind, ref: `${landfall.registry}/policies/landfall:${name}`, poll: { seconds: 2 } },
    });
    const settings = join(landfall.stage.paths.root, "several.yaml");
    const bundles = [beside("carbon", "data"), beside("security", "policy")];
    await writeFile(settings, JSON.stringify({ keys: ["bundle.pub"], poll: { seconds: 3600 }, bundles }));
    const flags = ["--bundle-settings", settings, "--decision-log", `file:${log()}`];
    ({ url, child } = await startOwn("local", "beside", ...flags));
  });

  it("are followed by the process: a push becomes active, a broken one is not used, and all is told", async () => {
    expect(await digestOf(url, "carbon")).toBe(carbon.replace(/^.*@/, ""));

    const next = await publish(carbonImage(201), "carbon-2");
    await move(next, "carbon");
    await vi.waitFor(async () => expect(await digestOf(url, "carbon")).toBe(next.replace(/^.*@/, "")), POLLED);

    const bad = await publish(await changedBundle(() => undefined), "security-2");
    await move(bad, "security");
    expect(await pollNow(url)).toBe(200);
    active = await statusOf(url);
    const { others } = active;
    expect(others["security"]?.quarantined).toMatchObject([
      { digest: bad.replace(/^.*@/, ""), code: "BUNDLE_UNREADABLE" },
    ]);
    expect((await startOf(url, { provider: "gcp" })).degraded).toContain("bundle security: looked at [POL_CUSTOM]");
    const metrics = await get(url, "/metrics");
    expect(metrics).toContain('landfall_bundle_quarantined{bundle="security",code="BUNDLE_UNREADABLE"} 1\n');
    expect(metrics).toContain(
      `landfall_bundle_info{bundle="carbon",fact="active",digest="${next.replace(/^.*@/, "")}"} 1\n`,
    );
    expect(metrics).toContain('landfall_bundle_data_stale{bundle="carbon"} 0\n');
    const kubectl = await landfall.tool("kubectl");
    const args = ["--kubeconfig", landfall.kubeconfig, "get", "events", "-n", "default", "-o", "json"];
    const { items } = JSON.parse((await runProgram(kubectl, args)).stdout.toString("utf8")) as {
      items: { reason: string; message: string }[];
    };
    const told = items.filter(({ message }) => message.includes('"bundle":"security"')).map(({ reason }) => reason);
    expect(new Set(told)).toEqual(new Set(["BundleActive", "BundleNotUsed"]));
  });

  it("has a line for each decision after the process has ended", async () => {
    const before = 1;
    const asking = load(url);
    await asking.answered(20);
    const answered = await asking.stop();
    expect(await get(url, "/metrics")).toContain("landfall_decision_log_lost_total 0\n");
    child.kill("SIGTERM");
    await once(child, "exit");
    const lines = (await readFile(log(), "utf8")).trimEnd().split("\n");
    expect(lines).toHaveLength(before + answered.length);
    expect(JSON.parse(lines[before] ?? "")).toMatchObject({
      bundles: {
        landfall: { digest: active.active?.bundle.digest },
        carbon: { digest: active.others["carbon"]?.active?.bundle.digest, revision: "r1" },
        security: { revision: "t1" },
      },
      input: { object: { kind: "VmTemplate" } },
      result: { allowed: true },
    });
    expect(answered.map(({ bundle }) => bundle)).toEqual(answered.map(() => active.active?.bundle.digest));
  });
});

describe("hot reload", () => {
  let own: string;

  beforeAll(async () => {
    const first = await publish(await numbered(0), "own");
    ({ url: own } = await startOwn("own", "own"));
    expect((await statusOf(own)).active?.digest).toBe(first.replace(/^.*@/, ""));
  });

  it("makes a push active in each replica that asks every 2 s, and each tells so", async () => {
    const settings = join(landfall.stage.paths.root, "polled.yaml");
    await writeFile(settings, "keys: [bundle.pub]\npoll: {seconds: 2}\n");
    const twin = await startOwn("local", "twin", "--bundle-settings", settings);
    const replicas = [landfall.webhookUrl ?? "", twin.url];
    const ref = await publish(await numbered(1), "next");
    const digest = ref.replace(/^.*@/, "");
    const active = async (url: string): Promise<number> => {
      await vi.waitFor(async () => expect((await statusOf(url)).active?.digest).toBe(digest), POLLED);
      return performance.now();
    };
    await move(ref, "local");
    const [first = 0, second = 0] = await Promise.all(replicas.map(active));
    console.log(`a push became active in two replicas within ${Math.abs(first - second).toFixed(0)} ms of each other`);
    const fact = `landfall_bundle_info{bundle="landfall",fact="active",digest="${digest}"} 1\n`;
    for (const url of replicas) expect(await get(url, "/metrics")).toContain(fact);
    twin.child.kill("SIGTERM");
    const kubectl = await landfall.tool("kubectl");
    const args = ["--kubeconfig", landfall.kubeconfig, "get", "events", "-n", "default", "-o", "json"];
    const { stdout } = await runProgram(kubectl, args);
    const { items } = JSON.parse(stdout.toString("utf8")) as { items: { reason: string }[] };
    expect(items.map(({ reason }) => reason)).toContain("BundleActive");
  });

  it(`${String(RELOADS)} reloads under 16 connections: no failed request, no decision by a bundle that was not active`, async () => {
    const bundles = await Promise.all([2, 3, 4].map(numbered));
    const refs: { ref: string; content: string }[] = [];
    for (const [index, bytes] of bundles.entries())
      refs.push({ ref: await publish(bytes, `b${String(index)}`), content: sha256Digest(bytes) });
    await move(refs[0]?.ref ?? "", "own");
    const url = own;
    expect(await pollNow(url, "guess")).toBe(401);
    expect(await pollNow(url)).toBe(200);
    const busy = load(url);
    await busy.answered(200);
    const swaps: { from: number; to: number; content: string }[] = [];
    for (let reload = 1; reload <= RELOADS; reload += 1) {
      const next = refs[reload % refs.length];
      const from = performance.now();
      await move(next?.ref ?? "", "own");
      expect(await pollNow(url)).toBe(200);
      swaps.push({ from, to: performance.now(), content: next?.content ?? "" });
    }
    const during = await busy.stop();
    const allowed = (at: number, ms: number): Set<string> => {
      const began = at - ms;
      const done = swaps.filter(({ to }) => to < began).at(-1)?.content ?? refs[0]?.content ?? "";
      return new Set([
        done,
        ...swaps.filter(({ from, to }) => from <= at && to >= began).map(({ content }) => content),
      ]);
    };
    const wrong = during.filter(({ bundle, at, ms }) => !allowed(at, ms).has(bundle));
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(new Set(during.map(({ bundle }) => bundle)).size).toBe(3);
    expect((await statusOf(url)).quarantined).toEqual([]);
  });

  // In ms: the limits are 20 and 50 on a quiet machine. Beside other tests, as in `npm test`, a wait for a processor counts as well;
  // to load a bundle in this thread would take more than a second.
  it.each([
    ["the full catalog (1 MB)", 0, SCALE === 1 ? 600 : 60],
    ["5 MB of data", 5_000_000, SCALE === 1 ? 1000 : 150],
  ])("%s stops the event loop only for a moment when it swaps", async (_, more, limit) => {
    const padded = (name: string): Promise<Buffer> =>
      changedBundle((data) => {
        const rows = Array.from({ length: more / 50 }, (_row, index) => [
          `${name}${String(index)}`,
          { price: index / 7, zone: `z${String(index)}` },
        ]);
        data.landfall["more"] = Object.fromEntries(rows) as Record<string, unknown>;
      });
    const tag = `size${String(more)}`;
    const refs = [await publish(await padded("a"), `${tag}a`), await publish(await padded("b"), `${tag}b`)];
    const url = own;
    await move(refs[0] ?? "", "own");
    expect(await pollNow(url)).toBe(200);
    await move(refs[1] ?? "", "own");
    // What the swap before this one cost is over once the event loop runs freely from one look to the next.
    await vi.waitFor(async () => expect(await stallMs(url)).toBeLessThan(limit / 2), {
      timeout: 20_000,
      interval: 250,
    });
    expect(await pollNow(url)).toBe(200);
    const stall = await stallMs(url);
    console.log(`swap with ${String(more)} bytes more: the event loop stopped for at most ${stall.toFixed(1)} ms`);
    expect(stall).toBeLessThan(limit);
    expect((await statusOf(url)).active?.digest).toBe(refs[1]?.replace(/^.*@/, ""));
  });
});
