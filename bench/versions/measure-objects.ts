import { setTimeout as sleep } from "node:timers/promises";
import { apiPath, below } from "../../src/cluster/api-path.ts";
import { quantile } from "../median.ts";
import { type Part, peakMemories, processorTime } from "../processor-time.ts";
import { readRequests } from "../read-requests.ts";
import { allReady, type Figures, listOf, machine, pathOf, until, type Version } from "./start-version.ts";

const WAIT_MS = 900_000;
/** Ms after the last change: statuses and events are still written. */
const SETTLE_MS = 5000;
/** Objects that are created at the same time, as a client does that has many. */
const TOGETHER = 32;

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
  return tookMs;
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

/** Machines that are created, run and are deleted, and a time in which nothing happens to them. */
export async function measureObjects(
  version: Version,
  round: number,
  { objects, idle: idleSeconds }: { objects: number; idle: number },
): Promise<Figures> {
  const { client, apiVersion } = version;
  const namespace = `bench-${String(round)}`;
  await client.create(apiPath`/api/v1/namespaces`, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace },
  });
  // The definition, the controller and Helm have to be there.
  const inDefault = pathOf(apiVersion, "default");
  await client.create(inDefault, machine(apiVersion, "default", `first-${String(round)}`));
  await until(() => allReady(client, inDefault, round + 1), 1000, WAIT_MS, `the first machine of ${version.name}`);
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
    "creation p50 ms": quantile(took, 0.5),
    "creation p99 ms": quantile(took, 0.99),
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
