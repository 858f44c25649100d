import { writeFile } from "node:fs/promises";
import type { Colors } from "picocolors/types.js";
import type { RunningConsole } from "../console/start-console.ts";
import { LandfallError, lineOf } from "../errors.ts";
import type { ExampleResult } from "./examples/example-types.ts";
import { type Examples, readExamples } from "./examples/read-examples.ts";
import { isAsExpected, reportProgress, resultsTable } from "./examples/report-progress.ts";
import { runExamples } from "./examples/run-examples.ts";
import { openConsole } from "./landfall/open-console.ts";
import { type Landfall, startLandfall } from "./landfall/start-landfall.ts";

export interface LocalModeOptions {
  /** Folder of the objects to apply. */
  examples: string;
  /** Folder for data, logs and the kubeconfig. */
  dir: string;
  /** Keeps the data of the run before. */
  keep: boolean;
  /** Ends when every example has settled. */
  once: boolean;
  /** How much faster the simulated providers are than real ones. */
  speed: number;
  /** How many seconds of a run that may pause take one second. */
  timeLapse: number;
  /** Writes the requests of Landfall's accounts to logs/audit.log. */
  audit: boolean;
  /** File of forecast settings; climatology alone if it is null. */
  forecasts: string | null;
  /** Milliseconds since 1970 at which the process started. */
  startedAtMs: number;
  env: NodeJS.ProcessEnv;
  /** Stops local mode when it is aborted. */
  signal: AbortSignal;
  write: (text: string) => void;
  /** Calls the function whenever the user presses Enter. */
  onEnter: (call: () => void) => void;
  colors: Colors;
}

export const isInterruption = (thrown: unknown): boolean =>
  thrown instanceof LandfallError && thrown.code === "LOCAL_INTERRUPTED";

/** Once everything is shown, an interruption is the usual end. */
function endedByUser(thrown: unknown): boolean {
  if (isInterruption(thrown)) return true;
  throw thrown;
}

const secondsSince = (fromMs: number): number => Math.round(Date.now() - fromMs) / 1000;

/** Writes `.landfall/status.json`, whose shape other programs rely on. */
async function writeStatus(landfall: Landfall, results: ExampleResult[], timings: object): Promise<void> {
  const objects = results.map(({ message: _, seconds: __, ...object }) => object);
  await writeFile(landfall.stage.paths.status, `${JSON.stringify({ objects, timings }, null, 2)}\n`);
}

async function applyExamples(
  landfall: Landfall,
  examples: Examples,
  { startedAtMs, write, colors }: LocalModeOptions,
): Promise<ExampleResult[]> {
  const landfallReadySeconds = secondsSince(startedAtMs);
  const results = await runExamples(landfall.client, examples, reportProgress(write, colors));
  const timings = {
    apiReadySeconds: (landfall.apiReadyAt - startedAtMs) / 1000,
    landfallReadySeconds,
    apiReadyToLastSettledSeconds: secondsSince(landfall.apiReadyAt),
    totalSeconds: secondsSince(startedAtMs),
  };
  await writeStatus(landfall, results, timings);
  write(`\n${resultsTable(results, colors)}`);
  write(
    `${results.filter(isAsExpected).length} of ${results.length} examples ended as expected; ` +
      `${timings.apiReadyToLastSettledSeconds.toFixed(1)} s after the API server was ready, ` +
      `${timings.totalSeconds.toFixed(1)} s in total`,
  );
  return results;
}

/** Opens the console. What runs already stays if that fails. */
async function tryConsole(
  landfall: Landfall,
  { write, onEnter, forecasts, timeLapse }: LocalModeOptions,
): Promise<RunningConsole | null> {
  try {
    const opened = await openConsole(landfall, { forecasts, timeLapse });
    const show = (): void => {
      write(`console: ${opened.address()}`);
    };
    show();
    write("The address opens once; press Enter for another one.");
    onEnter(show);
    return opened;
  } catch (thrown) {
    write(`console: ${lineOf(thrown)}`);
    return null;
  }
}

function showHowToUse({ kubeconfig, stage }: Landfall, write: (text: string) => void): void {
  write(`\nkubeconfig: ${kubeconfig}   logs: ${stage.paths.logs}`);
  write(`try: kubectl --kubeconfig ${kubeconfig} get vmtemplates -A`);
}

/**
 * Starts a control plane and Landfall on this machine, applies the examples and reports their progress. With `once` it then
 * stops everything and returns whether each example ended as expected. Without it, everything runs until `signal` is
 * aborted, which returns true, or until a process ends, which rejects. Errors: TOOL_…, LOCAL_…, BUNDLE_….
 */
export async function runLocalMode(options: LocalModeOptions): Promise<boolean> {
  const { dir, keep, speed, timeLapse, audit, forecasts, env, signal, write, startedAtMs } = options;
  const examples = await readExamples(options.examples);
  const landfall = await startLandfall({
    ...{ dir, keep, speed, timeLapse, audit, env, signal, namespace: "demo", controllerManager: true },
    ...(forecasts === null ? {} : { forecasts }),
    report: (text) => {
      write(`${secondsSince(startedAtMs).toFixed(1).padStart(5)} s  ${text}`);
    },
  });
  let opened: RunningConsole | null = null;
  try {
    const { failed } = landfall.stage.supervisor;
    const results = await Promise.race([applyExamples(landfall, examples, options), failed]);
    if (options.once) return results.every(isAsExpected);
    showHowToUse(landfall, write);
    opened = await tryConsole(landfall, options);
    write("Press Ctrl-C to stop everything.");
    return await failed.catch(endedByUser);
  } finally {
    await opened?.stop();
    await landfall.stop();
  }
}
