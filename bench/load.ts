// One measurement in its own process, so that the load generator shares no event loop: a job as JSON on standard input, the
// result as JSON on standard output. Connections are reused; each has one pending request.
import { text } from "node:stream/consumers";
import autocannon from "autocannon";
import type { LoadOrder, LoadResult } from "./types.ts";

async function load(order: LoadOrder, seconds: number): Promise<LoadResult> {
  // autocannon's own histogram counts integer milliseconds; a request takes a fraction of one.
  const times: number[] = [];
  const began = performance.now();
  let ended = began;
  const run = autocannon({
    url: order.url,
    connections: order.connections,
    ...(order.requests === undefined ? { duration: seconds } : { amount: order.requests }),
    method: "POST",
    headers: { "content-type": "application/json" },
    requests: order.bodies.map((body) => ({ body })),
    tlsOptions: order.client ? { cert: order.client.certificate, key: order.client.key } : {},
  });
  run.on("response", (_client, _status, _bytes, milliseconds) => {
    times.push(milliseconds);
    ended = performance.now();
  });
  const { non2xx, errors, timeouts } = await run;
  const sorted = Float64Array.from(times).sort();
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return {
    requestsPerSecond: (times.length * 1000) / (ended - began),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    answered: times.length,
    failures: non2xx + errors + timeouts,
  };
}

const order = JSON.parse(await text(process.stdin)) as LoadOrder;
if (order.warmUpSeconds > 0) await load(order, order.warmUpSeconds);
process.stdout.write(JSON.stringify(await load(order, order.seconds)));
