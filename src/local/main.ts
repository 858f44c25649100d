import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isatty } from "node:tty";
import { Command } from "commander";
import picocolors from "picocolors";
import { outputError } from "../command-line/option-values.ts";
import { LandfallError, messageOf } from "../errors.ts";
import type { ExampleResult } from "./example-types.ts";
import { isAsExpected, narrate } from "./narrate.ts";
import { processEntry } from "./process-entry.ts";
import { readExamples } from "./read-examples.ts";
import type { Examples } from "./read-examples.ts";
import { resultsTable } from "./results-table.ts";
import { runExamples } from "./run-examples.ts";
import { startLandfall } from "./start-landfall.ts";
import type { Landfall } from "./start-landfall.ts";
import { watchParent } from "./watch-parent.ts";

interface Options {
  once?: boolean;
  examples: string;
  dir: string;
  keep?: boolean;
  speed: string;
}

const begun = Date.now();
const since = (from: number): number => Math.round(Date.now() - from) / 1000;
const { stdout } = process;
// A file or a pipe stays plain, in CI too.
const colors = picocolors.createColors(isatty(1) && stdout.hasColors());
const write = (text: string): void => void stdout.write(`${text}\n`);

const options = new Command("local")
  .description("Landfall on this machine: a real API server, the webhook, the controllers and simulated providers")
  .configureOutput({ outputError })
  .option("--once", "end when every example has settled; exit 0 if each ended as it should")
  .option("--examples <dir>", "objects to apply", processEntry("../../examples"))
  .option("--dir <dir>", "where data, logs and the kubeconfig lie", processEntry("../../.landfall"))
  .option("--keep", "keep the data of the run before")
  .option("--speed <number>", "how much faster the simulated providers are than real ones", "1")
  .parse()
  .opts<Options>();

async function runAll(landfall: Landfall, examples: Examples): Promise<ExampleResult[]> {
  const ready = since(begun);
  const results = await runExamples(landfall.api, examples, narrate(write, colors));
  const timings = {
    apiReadySeconds: (landfall.apiReadyAt - begun) / 1000,
    landfallReadySeconds: ready,
    apiReadyToLastSettledSeconds: since(landfall.apiReadyAt),
    totalSeconds: since(begun),
  };
  const objects = results.map(({ message: _, seconds: __, ...object }) => object);
  await writeFile(landfall.stage.paths.status, `${JSON.stringify({ objects, timings }, null, 2)}\n`);
  write(`\n${resultsTable(results, colors)}`);
  const good = results.filter(isAsExpected).length;
  write(
    `${good} of ${results.length} examples ended as expected; ${timings.apiReadyToLastSettledSeconds.toFixed(1)} s ` +
      `from the API server's readiness, ${timings.totalSeconds.toFixed(1)} s in all`,
  );
  return results;
}

/** Aborted when somebody asks this process to end. */
const interruption = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    interruption.abort(new LandfallError("LOCAL_INTERRUPTED", { signal }));
  });
}

function explain(landfall: Landfall): void {
  write(`\nkubeconfig: ${landfall.kubeconfig}   logs: ${landfall.stage.paths.logs}`);
  write(`try: kubectl --kubeconfig ${landfall.kubeconfig} get vmtemplates -A`);
  write("Ctrl-C ends everything.");
}

// npm does not tell when it is killed. Without npm, outliving the shell may be what the user wants.
if (process.env["npm_lifecycle_event"] !== undefined) {
  watchParent(() => {
    interruption.abort(new LandfallError("LOCAL_INTERRUPTED", { signal: "the end of npm" }));
  });
}

const isInterruption = (error: unknown): boolean =>
  error instanceof LandfallError && error.code === "LOCAL_INTERRUPTED";

/** Once everything is shown, being ended is the usual end. */
function endedByUser(error: unknown): number {
  if (isInterruption(error)) return 0;
  throw error;
}

async function main(): Promise<number> {
  const examples = await readExamples(resolve(options.examples));
  const landfall = await startLandfall({
    ...{ dir: resolve(options.dir), keep: options.keep === true, env: process.env, namespace: "demo" },
    ...{ controllerManager: true, speed: Number(options.speed), signal: interruption.signal },
    report: (text) => {
      write(`${since(begun).toFixed(1).padStart(5)} s  ${text}`);
    },
  });
  try {
    const { failed } = landfall.stage.supervisor;
    const results = await Promise.race([runAll(landfall, examples), failed]);
    if (options.once === true) return results.every(isAsExpected) ? 0 : 1;
    explain(landfall);
    return await failed.catch(endedByUser);
  } finally {
    await landfall.stop();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  const interrupted = isInterruption(error);
  if (!interrupted) process.stderr.write(`${error instanceof LandfallError ? error.line : messageOf(error)}\n`);
  process.exitCode = interrupted ? 130 : 1;
}
// A probe or a request that is still under way must not keep the process alive.
process.exit();
