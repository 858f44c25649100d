import { open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import type { Landfall } from "../src/local/landfall/start-landfall.ts";
import { measureComposition } from "./measure-composition.ts";
import { median } from "./median.ts";
import { findProcess, peakMemoryMb } from "./process-memory.ts";
import { helmMemoryMb, type Part, processorTime } from "./processor-time.ts";
import type { HelmResult } from "./types.ts";

/** Ms after the last release: statuses and events are still written. */
const SETTLE_MS = 5000;
const SAMPLE_MS = 500;

/** One Landfall of the comparison: they differ in how helm is called. */
export interface HelmTarget {
  by: HelmResult["by"];
  dir: string;
  landfall: Landfall;
}

type Round = Pick<HelmResult, "seconds" | "requests" | "milliseconds" | "helmMb">;

const sizeOf = async (file: string): Promise<number> => {
  const handle = await open(file);
  try {
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
};

/** The requests in an audit log from this byte on. */
async function requestsFrom(file: string, start: number): Promise<number> {
  const handle = await open(file);
  let count = 0;
  for await (const chunk of handle.createReadStream({ start }))
    count += (chunk as Buffer).filter((byte) => byte === 10).length;
  return count;
}

/** Repeats `read` until the result is asked for, which is its greatest answer. */
function greatest(read: () => Promise<number>): () => Promise<number> {
  const abort = new AbortController();
  let most = 0;
  const sampling = (async (): Promise<void> => {
    while (!abort.signal.aborted) {
      most = Math.max(most, await read());
      await sleep(SAMPLE_MS);
    }
  })();
  return async () => {
    abort.abort();
    await sampling;
    return most;
  };
}

async function measureRound(
  { by, dir, landfall }: HelmTarget,
  options: { apiVersion: string; objects: number; report: (line: string) => void },
  round: number,
): Promise<Round> {
  const audit = join(dir, "logs", "audit.log");
  const [before, start] = [await processorTime(dir), await sizeOf(audit)];
  const memory = greatest(() => helmMemoryMb(dir));
  const { seconds } = await measureComposition(landfall, { ...options, namespace: `${by}-${String(round)}` });
  await sleep(SETTLE_MS);
  const [after, helmMb] = [await processorTime(dir), await memory()];
  const spent = (part: Part, of: "ownMs" | "childrenMs"): number =>
    (after[part][of] - before[part][of]) / options.objects;
  return {
    ...{ seconds, helmMb, requests: (await requestsFrom(audit, start)) / options.objects },
    milliseconds: {
      helm: spent("controller", "childrenMs"),
      controller: spent("controller", "ownMs"),
      "API server": spent("API server", "ownMs"),
      etcd: spent("etcd", "ownMs"),
      webhook: spent("webhook", "ownMs") + spent("webhook", "childrenMs"),
      simulators: spent("simulators", "ownMs"),
    },
  };
}

async function summarise({ by, dir }: HelmTarget, rounds: Round[]): Promise<HelmResult> {
  const middle = (value: (round: Round) => number): number => Number(median(rounds.map(value)).toFixed(1));
  const parts = Object.keys(rounds[0]?.milliseconds ?? {});
  const controller = await findProcess("src/composition/main.ts", dir);
  return {
    ...{ by, seconds: middle(({ seconds }) => seconds), requests: middle(({ requests }) => requests) },
    milliseconds: Object.fromEntries(parts.map((part) => [part, middle((round) => round.milliseconds[part] ?? 0)])),
    helmMb: Math.max(...rounds.map(({ helmMb }) => helmMb)),
    controllerMb: controller === null ? NaN : await peakMemoryMb(controller),
  };
}

/** Applies objects to each Landfall in turn, so that other work on the machine meets both; medians of the rounds. */
export async function measureHelm(
  targets: HelmTarget[],
  options: { apiVersion: string; objects: number; rounds: number; report: (line: string) => void },
): Promise<HelmResult[]> {
  const rounds = new Map<HelmTarget, Round[]>(targets.map((target) => [target, []]));
  for (let round = 0; round < options.rounds; round += 1) {
    // The first one of a round is another each time.
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) {
      const measured = await measureRound(target, options, round);
      options.report(`helm by ${target.by}, round ${String(round + 1)}: ${JSON.stringify(measured)}`);
      rounds.get(target)?.push(measured);
    }
  }
  return Promise.all([...rounds].map(([target, measured]) => summarise(target, measured)));
}
