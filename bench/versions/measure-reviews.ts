import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { apiPath } from "../../src/cluster/api-path.ts";
import { LandfallError } from "../../src/errors.ts";
import { nowSeconds } from "../../src/model/time.ts";
import { checkAnswers } from "../check-answers.ts";
import { memoryMb, processorTime } from "../processor-time.ts";
import { runLoad } from "../run-load.ts";
import { batchObjects, OBJECTS, reviewOf } from "../sample-objects.ts";
import type { Target } from "../types.ts";
import type { Figures, Version } from "./start-version.ts";

const CONNECTIONS = 16;
const SAMPLE_MS = 1000;

interface Configuration {
  webhooks: { clientConfig: { url?: string } }[];
}

/** The certificate that the API server shows to webhooks. */
async function readClient(dir: string): Promise<NonNullable<Target["client"]>> {
  const file = await readFile(join(dir, "pki/webhook-client.kubeconfig"), "utf8");
  const { users } = parse(file) as { users: { user: Record<string, string> }[] };
  const pem = (name: string): string => Buffer.from(users[0]?.user[`${name}-data`] ?? "", "base64").toString();
  return { certificate: pem("client-certificate"), key: pem("client-key") };
}

/** The mutating webhook of a version, called as its API server calls it. */
async function targetOf({ name, dir, client, apiVersion }: Version): Promise<Target> {
  const path = apiPath`/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations`;
  const { items = [] } = (await client.get<{ items: Configuration[] }>(path)) ?? {};
  const url = items.flatMap(({ webhooks }) => webhooks).find(({ clientConfig }) => clientConfig.url)?.clientConfig.url;
  if (url === undefined) throw new LandfallError("LOCAL_BENCH", { detail: `${name} has registered no webhook` });
  const reviews = batchObjects(OBJECTS, nowSeconds(), apiVersion).map((object, index) =>
    JSON.stringify(reviewOf(object, `bench-${String(index)}`)),
  );
  return { server: "landfall", url, bodies: reviews, client: await readClient(dir) };
}

/** The result of some work, and the most MiB that the webhook's processes took meanwhile. */
async function watched<T>(dir: string, work: Promise<T>): Promise<{ result: T; mostMb: number }> {
  const sizes: Promise<number>[] = [];
  const timer = setInterval(() => sizes.push(memoryMb(dir, "webhook")), SAMPLE_MS);
  const result = await work.finally(() => {
    clearInterval(timer);
  });
  return { result, mostMb: Math.max(await memoryMb(dir, "webhook"), ...(await Promise.all(sizes))) };
}

/** So many requests warm the compilers up. */
const WARM_UP = 5000;

/** So many reviews over TLS: rate, latencies, and what one of them costs the webhook's processes. */
export async function measureReviews(version: Version, round: number, reviews: number): Promise<Figures> {
  const target = await targetOf(version);
  const order = { ...target, connections: CONNECTIONS, seconds: 0, warmUpSeconds: 0 };
  if (round === 0) {
    await checkAnswers([target]);
    await runLoad({ ...order, requests: WARM_UP });
  }
  const before = (await processorTime(version.dir)).webhook;
  const { result, mostMb } = await watched(version.dir, runLoad({ ...order, requests: reviews }));
  const { requestsPerSecond, p50Ms, p99Ms, answered } = result;
  const { ownMs, childrenMs } = (await processorTime(version.dir)).webhook;
  return {
    "reviews per second": requestsPerSecond,
    "review p50 ms": p50Ms,
    "review p99 ms": p99Ms,
    "µs of processor time per review": ((ownMs + childrenMs - before.ownMs - before.childrenMs) * 1000) / answered,
    "of them in child processes": ((childrenMs - before.childrenMs) * 1000) / answered,
    "most MiB of the webhook's processes": mostMb,
  };
}
