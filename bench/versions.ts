// `node bench/versions.ts OTHER [--objects N] [--rounds N] [--idle SECONDS]`: this version against another one, whose checkout with its
// node_modules is in the folder OTHER. Both run in local mode, and get the same machines on Google Cloud in turn. All is measured from
// outside: processor time and memory from /proc, requests from the API server's metrics. Linux only.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type ApiPath, apiPath, below, versionPath } from "../src/cluster/api-path.ts";
import { createClient, type KubeClient } from "../src/cluster/client/create-client.ts";
import { loadKubeconfig } from "../src/cluster/client/load-kubeconfig.ts";
import { LandfallError, lineOf } from "../src/errors.ts";
import { untilNull } from "../src/local/processes/wait-until.ts";
import { COMPOSITION_GROUP } from "../src/model/names.ts";
import { conditionsOf, type KubernetesObject } from "../src/model/kubernetes.ts";
import type { Resource } from "../src/composition/types.ts";
import { median } from "./median.ts";
import { type Part, peakMemories, processorTime } from "./processor-time.ts";
import { readRequests } from "./read-requests.ts";

const START_MS = 300_000;
const WAIT_MS = 900_000;
/** Ms after the last change: statuses and events are still written. */
const SETTLE_MS = 5000;
/** Objects that are created at the same time, as a client does that has many. */
const TOGETHER = 32;

interface Version {
  name: string;
  dir: string;
  client: KubeClient;
  /** `v0-1-0` in `composition.krateo.io/v0-1-0`. */
  apiVersion: string;
  stop: () => Promise<void>;
}

type Figures = Record<string, number>;

async function until(done: () => Promise<boolean>, everyMs: number, limitMs: number, what: string): Promise<void> {
  const seconds = limitMs / 1000;
  const missing = await untilNull(seconds, async () => ((await done().catch(() => false)) ? null : what), everyMs);
  if (missing !== null)
    throw new LandfallError("LOCAL_BENCH", { detail: `${what} did not come within ${String(seconds)} s` });
}

const machine = (apiVersion: string, namespace: string, name: string): KubernetesObject => ({
  ...{ apiVersion, kind: "VmTemplate", metadata: { name, namespace }, spec: { cpu: 2, memory: 4, provider: "gcp" } },
});

async function start(name: string, checkout: string, base: string): Promise<Version> {
  const [dir, examples] = [join(base, name), join(base, `${name}-examples`)];
  await mkdir(examples);
  await copyFile(join(checkout, "examples/00-namespaces.yaml"), join(examples, "00-namespaces.yaml"));
  await copyFile(join(checkout, "examples/01-anywhere.yaml"), join(examples, "01-anywhere.yaml"));
  const program = join(checkout, "node_modules/.bin/node");
  const script = join(checkout, "src/local/main.ts");
  const child = spawn(program, [script, "--dir", dir, "--examples", examples], {
    ...{ cwd: checkout, stdio: ["ignore", "ignore", "inherit"] },
  });
  const stop = async (): Promise<void> => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  };
  const connect = async (): Promise<KubeClient> => createClient(await loadKubeconfig(join(dir, "kubeconfig"), {}));
  const found: { client: KubeClient | null; apiVersion: string } = { client: null, apiVersion: "" };
  const isInstalled = async (): Promise<boolean> => {
    const client = (found.client ??= await connect());
    const group = await client.get<{ preferredVersion: { groupVersion: string } }>(apiPath`/apis/${COMPOSITION_GROUP}`);
    const apiVersion = (found.apiVersion = group?.preferredVersion.groupVersion ?? "");
    if (apiVersion === "") return false;
    const path = pathOf(apiVersion, "default");
    // The webhook, the definition and the controller have to be there.
    await client.create(path, machine(apiVersion, "default", "first")).catch(() => undefined);
    return allReady(client, path, 1);
  };
  await until(isInstalled, 1000, START_MS, `the first machine of ${name}`);
  const { client, apiVersion } = found;
  if (client === null) throw new LandfallError("LOCAL_BENCH", { detail: `${name} has no API server` });
  return { name, dir, client, apiVersion, stop };
}

const pathOf = (apiVersion: string, namespace: string): ApiPath =>
  below(versionPath(apiVersion), "namespaces", namespace, "vmtemplates");

async function listOf(client: KubeClient, path: ApiPath): Promise<Resource[]> {
  return (await client.get<{ items: Resource[] }>(path))?.items ?? [];
}

const isReady = (object: Resource): boolean =>
  conditionsOf(object).some(({ type, status }) => type === "Ready" && status === "True");

const allReady = async (client: KubeClient, path: ApiPath, count: number): Promise<boolean> => {
  const items = await listOf(client, path);
  return items.filter(isReady).length >= count;
};

/** Runs work for each item, some at a time; ms of each. */
async function together<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<number[]> {
  const [left, tookMs] = [[...items], [] as number[]];
  const one = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      const beganAt = performance.now();
      await work(item);
      tookMs.push(performance.now() - beganAt);
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, one));
  return tookMs.toSorted((a, b) => a - b);
}

const PARTS: readonly Part[] = ["API server", "controller", "etcd", "webhook", "simulators"];

/** What some work costs: ms of processor time of each part, requests, and seconds. */
async function costOf({ dir, client }: Version, work: () => Promise<void>): Promise<Figures & { seconds: number }> {
  const [before, requests] = [await processorTime(dir), await readRequests(client)];
  const beganAt = performance.now();
  await work();
  const seconds = (performance.now() - beganAt) / 1000;
  await sleep(SETTLE_MS);
  const [after, later] = [await processorTime(dir), await readRequests(client)];
  const spent = (part: Part): number => after[part].ownMs - before[part].ownMs;
  const children = (part: Part): number => after[part].childrenMs - before[part].childrenMs;
  return {
    seconds,
    requests: later - requests,
    ...Object.fromEntries(PARTS.map((part) => [part, spent(part)])),
    webhook: spent("webhook") + children("webhook"),
    helm: children("controller"),
  };
}

const each = (figures: Figures, count: number): Figures =>
  Object.fromEntries(Object.entries(figures).map(([key, value]) => [key, value / count]));

async function measure(version: Version, round: number, objects: number, idleSeconds: number): Promise<Figures> {
  const { client, apiVersion } = version;
  const namespace = `bench-${String(round)}`;
  await client.create(apiPath`/api/v1/namespaces`, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace },
  });
  const path = pathOf(apiVersion, namespace);
  const names = Array.from({ length: objects }, (_, index) => `machine-${String(index)}`);
  const everyMs = Math.max(500, objects * 2);
  let took: number[] = [];
  const beganAt = performance.now();
  let admitted = 0;
  const install = await costOf(version, async () => {
    took = await together(names, (name) => client.create(path, machine(apiVersion, namespace, name)));
    admitted = (performance.now() - beganAt) / 1000;
    await until(() => allReady(client, path, objects), everyMs, WAIT_MS, "the last machine");
  });
  const idle = await costOf(version, () => sleep(idleSeconds * 1000));
  const remove = await costOf(version, async () => {
    await together(names, (name) => client.remove(below(path, name)));
    await until(async () => (await listOf(client, path)).length === 0, everyMs, WAIT_MS, "the last deletion");
  });
  const memory = await peakMemories(version.dir);
  const { seconds, requests = 0, ...parts } = each(install, objects);
  const minutes = (idleSeconds + SETTLE_MS / 1000) / 60;
  const prefixed = (text: string, figures: Figures): Figures =>
    Object.fromEntries(Object.entries(figures).map(([key, value]) => [`${text}${key}`, value]));
  return {
    "seconds until admitted": admitted,
    "creation p50 ms": took[Math.floor(took.length / 2)] ?? NaN,
    "creation p99 ms": took[Math.floor(took.length * 0.99)] ?? NaN,
    "seconds until Ready": (seconds ?? NaN) * objects,
    "requests per object": requests,
    "ms per object": Object.values(parts).reduce((sum, value) => sum + value, 0),
    ...prefixed("ms per object: ", parts),
    "seconds of deletion": remove.seconds,
    "requests per deletion": (remove["requests"] ?? NaN) / objects,
    "idle: requests per minute": (idle["requests"] ?? NaN) / minutes,
    "idle: % of a core, controller": (idle["controller"] ?? NaN) / minutes / 600,
    "idle: % of a core, API server": (idle["API server"] ?? NaN) / minutes / 600,
    ...prefixed("peak MiB: ", memory),
  };
}

function print(results: Map<Version, Figures[]>): void {
  const versions = [...results.keys()];
  process.stdout.write(
    `| figure | ${versions.map(({ name }) => name).join(" | ")} |\n|---|${"---|".repeat(versions.length)}\n`,
  );
  for (const key of Object.keys(results.values().next().value?.[0] ?? {})) {
    const cells = [...results.values()].map((all) => median(all.map((one) => one[key] ?? NaN)).toFixed(1));
    process.stdout.write(`| ${key} | ${cells.join(" | ")} |\n`);
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    objects: { type: "string", default: "100" },
    rounds: { type: "string", default: "3" },
    idle: { type: "string", default: "30" },
  },
});
const [objects, rounds, idle] = [values.objects, values.rounds, values.idle].map(Number) as [number, number, number];
const own = fileURLToPath(new URL("..", import.meta.url));
const base = await mkdtemp(join(tmpdir(), "landfall-versions-"));
const versions: Version[] = [];
try {
  if (positionals.length !== 1)
    throw new LandfallError("LOCAL_BENCH", { detail: "name the folder of another version" });
  versions.push(await start("other", resolve(positionals[0] ?? ""), base));
  versions.push(await start("this", resolve(own), base));
  const results = new Map<Version, Figures[]>(versions.map((version) => [version, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const version of round % 2 === 0 ? versions : versions.toReversed()) {
      const measured = await measure(version, round, objects, idle);
      process.stderr.write(`round ${String(round + 1)}, ${version.name}: ${JSON.stringify(measured)}\n`);
      results.get(version)?.push(measured);
    }
  print(results);
} catch (thrown) {
  process.stderr.write(`${lineOf(thrown)}\n`);
  process.exitCode = 1;
} finally {
  await Promise.all(versions.map(({ stop }) => stop()));
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
}
