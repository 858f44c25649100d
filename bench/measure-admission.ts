import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { LandfallError } from "../src/errors.ts";
import { median } from "./median.ts";
import type { AdmissionResult, LoadOrder, LoadResult, Target } from "./types.ts";

const CONNECTIONS = [1, 16] as const;
/** Compilers of a new process need seconds to warm up. */
const WARM_UP_SECONDS = 5;
const LONGEST_SECONDS = 60;

export interface Effort {
  rounds: number;
  /** Of one measurement. */
  seconds: number;
  report: (line: string) => void;
}

async function load(order: LoadOrder): Promise<LoadResult> {
  const script = fileURLToPath(new URL("load.ts", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(order));
  const result = JSON.parse((await text(child.stdout)) || "null") as LoadResult | null;
  if (result === null || result.failures > 0) {
    const detail =
      result === null ? "the load generator failed" : `${result.failures} requests to ${order.server} failed`;
    throw new LandfallError("LOCAL_BENCH", { detail });
  }
  // On a busy machine, the slowest peer may not answer any request in a short measurement.
  if (result.answered > 0) return result;
  if (order.seconds >= LONGEST_SECONDS)
    throw new LandfallError("LOCAL_BENCH", { detail: `${order.server} answered nothing in ${order.seconds} s` });
  return load({ ...order, seconds: order.seconds * 4 });
}

/** The order of a round: it changes each time, so that no server always follows the same other. */
function rotated<T>(items: readonly T[], round: number): T[] {
  const turned = [...items.slice(round % items.length), ...items.slice(0, round % items.length)];
  return round % 2 === 0 ? turned : turned.reverse();
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

function summarise(
  cell: Omit<LoadOrder, "seconds" | "warmUpSeconds">,
  results: readonly LoadResult[],
): AdmissionResult {
  return {
    server: cell.server,
    connections: cell.connections,
    requestsPerSecond: Math.round(median(results.map((result) => result.requestsPerSecond))),
    p50Ms: rounded(median(results.map((result) => result.p50Ms)), 3),
    p99Ms: rounded(median(results.map((result) => result.p99Ms)), 3),
  };
}

/** Requests per second and latencies of every target at 1 and at 16 connections: medians over the rounds. */
export async function measureAdmission(targets: readonly Target[], effort: Effort): Promise<AdmissionResult[]> {
  const cells = CONNECTIONS.flatMap((connections) =>
    targets.map((target) => ({ ...target, connections, results: [] as LoadResult[] })),
  );
  for (let round = 0; round < effort.rounds; round++) {
    for (const { results, ...cell } of rotated(cells, round)) {
      const warmUpSeconds = round === 0 ? Math.min(WARM_UP_SECONDS, effort.seconds) : 0;
      const result = await load({ ...cell, seconds: effort.seconds, warmUpSeconds });
      results.push(result);
      const numbers = `${Math.round(result.requestsPerSecond)} req/s, p99 ${result.p99Ms.toFixed(2)} ms`;
      effort.report(`round ${round + 1}: ${cell.server}, ${cell.connections} connections: ${numbers}`);
    }
  }
  return cells.map(({ results, ...cell }) => summarise(cell, results));
}
