import { median } from "./median.ts";
import { runLoad } from "./run-load.ts";
import type { AdmissionResult, LoadOrder, LoadResult, Target } from "./types.ts";

const CONNECTIONS = [1, 16] as const;
/** Compilers of a new process need seconds to warm up. */
const WARM_UP_SECONDS = 5;

export interface Effort {
  rounds: number;
  /** Of one measurement. */
  seconds: number;
  report: (line: string) => void;
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
      const result = await runLoad({ ...cell, seconds: effort.seconds, warmUpSeconds });
      results.push(result);
      const numbers = `${Math.round(result.requestsPerSecond)} req/s, p99 ${result.p99Ms.toFixed(2)} ms`;
      effort.report(`round ${round + 1}: ${cell.server}, ${cell.connections} connections: ${numbers}`);
    }
  }
  return cells.map(({ results, ...cell }) => summarise(cell, results));
}
