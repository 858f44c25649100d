import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { countsLine, type PartReport } from "./counts.ts";

export interface Part {
  name: string;
  /** A script with its arguments; it writes a PartReport to the file that LANDFALL_TEST_COUNTS names. */
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
}

const root = fileURLToPath(new URL("..", import.meta.url));

/** What Node compiled is kept for the hundreds of processes that the tests start. */
const COMPILED = join(root, ".landfall", "cache", "node");

/**
 * The Go programs of the tests live for seconds to minutes: with garbage collected a quarter as often, a control plane and a
 * call of helm take a sixth less processor time, for some 100 MB more memory.
 */
const GO = { GOGC: "400" };

/** A nice value: beside a program at 0 it gets two thirds of what that one gets of a busy processor. With less, deadlines pass. */
const BELOW_NORMAL = 2;

/** Vitest over some projects of vitest.config.js. */
export const vitestArgs = (projects: readonly string[], rest: readonly string[]): string[] => [
  ...["node_modules/vitest/vitest.mjs", "run"],
  ...projects.flatMap((project) => ["--project", project]),
  ...rest,
];

/** The signal that ended a part: no other part begins after it. */
let interrupted: NodeJS.Signals | null = null;

/** Copies line by line, so that two parts that run at the same time do not mix within a line. */
function copyLines(from: Readable, prefix: string): void {
  createInterface({ input: from }).on("line", (line) => process.stdout.write(`${prefix}${line}\n`));
}

/** How a part runs beside others. */
export interface Beside {
  /** Each line of its output begins with the part's name. */
  prefixed?: boolean;
  /** Its programs get what the others leave of the processors. */
  yields?: boolean;
}

function runScript({ name, args, env }: Part, file: string, { prefixed, yields }: Beside): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ["ignore", prefixed === true ? "pipe" : "inherit", prefixed === true ? "pipe" : "inherit"],
      env: { ...GO, ...process.env, ...env, NODE_COMPILE_CACHE: COMPILED, LANDFALL_TEST_COUNTS: file },
    });
    if (yields === true && child.pid !== undefined) setPriority(child.pid, BELOW_NORMAL);
    for (const stream of [child.stdout, child.stderr]) if (stream !== null) copyLines(stream, `${name} | `);
    const forward = (signal: NodeJS.Signals): void => {
      interrupted = signal;
      child.kill(signal);
    };
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, forward);
    child.once("error", () => {
      resolve(1);
    });
    child.once("close", (code) => {
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, forward);
      resolve(code ?? 1);
    });
  });
}

const failedPart = (name: string, error: string): PartReport => ({
  ...{ passed: 0, failed: 1, skipped: 0, taken: [] },
  failures: [{ name, error }],
});

/** What the part wrote; a part that ended without a report, or with an error that no test shows, has failed. */
function readReport(name: string, file: string, exitCode: number): PartReport {
  let report: PartReport;
  try {
    report = JSON.parse(readFileSync(file, "utf8")) as PartReport;
  } catch {
    return failedPart(name, `it ended with exit code ${exitCode} and without a report`);
  }
  return exitCode === 0 || report.failed > 0 ? report : failedPart(name, `it ended with exit code ${exitCode}`);
}

/**
 * Runs a part to its end and prints its counts. After SIGINT or SIGTERM it runs nothing and counts as failed.
 */
export async function runPart(part: Part, beside: Beside = {}): Promise<PartReport> {
  if (interrupted !== null) {
    process.stdout.write(`\n== ${part.name}: not run after ${interrupted}\n`);
    return failedPart(part.name, `it was not run after ${interrupted}`);
  }
  const folder = mkdtempSync(join(tmpdir(), "landfall-test-"));
  const file = join(folder, "report.json");
  const began = performance.now();
  process.stdout.write(`\n== ${part.name}\n`);
  const exitCode = await runScript(part, file, beside);
  const report = readReport(part.name, file, exitCode);
  rmSync(folder, { recursive: true, force: true });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(`== ${part.name}: ${countsLine(report)} in ${seconds} s\n`);
  return report;
}
