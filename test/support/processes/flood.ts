// Sends reviews without a pause, in a process of its own: a job as JSON on standard input, the result as JSON on standard output.
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";

export interface FloodJob {
  url: string;
  client: { key: string; certificate: string };
  ca: string;
  body: string;
  connections: number;
  seconds: number;
}

export interface FloodResult {
  allowed: number;
  /** Refusals that clients repeat. */
  later: number;
  /** Everything else, at most ten of them. */
  other: string[];
  /** Of all answers, in ms. */
  p50: number;
  slowestMs: number;
}

interface Review {
  response: { allowed: boolean; status?: { code: number; message: string; details?: { retryAfterSeconds?: number } } };
}

const { url, client, ca, body, connections, seconds } = JSON.parse(await text(process.stdin)) as FloodJob;
const tls = { ca, cert: client.certificate, key: client.key };
const dispatcher = new Agent({ connections, connect: { ...tls, timeout: 60_000 } });
const result: FloodResult = { allowed: 0, later: 0, other: [], p50: 0, slowestMs: 0 };
const times: number[] = [];
/** A handshake costs more than a request: they come one after the other. */
const STEP_MS = 5;
const end = performance.now() + 1000 * seconds + connections * STEP_MS;

function note({ response: { allowed, status } }: Review): void {
  if (allowed) result.allowed += 1;
  else if (status?.code === 429 && (status.details?.retryAfterSeconds ?? 0) > 0) result.later += 1;
  else if (result.other.length < 10) result.other.push(status?.message ?? "no status");
}

async function ask(): Promise<void> {
  const began = performance.now();
  try {
    const options = { method: "POST", body, dispatcher, headers: { "content-type": "application/json" } } as const;
    note((await (await request(url, options)).body.json()) as Review);
  } catch (thrown) {
    if (result.other.length < 10) result.other.push(String(thrown));
  }
  times.push(performance.now() - began);
}

const loop = async (_: unknown, at: number): Promise<void> => {
  await sleep(at * STEP_MS);
  while (performance.now() < end) await ask();
};
await Promise.all(Array.from({ length: connections }, loop));
await dispatcher.close();
times.sort((a, b) => a - b);
result.p50 = times[Math.floor(times.length / 2)] ?? 0;
result.slowestMs = times.at(-1) ?? 0;
process.stdout.write(JSON.stringify(result));
