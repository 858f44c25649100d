// `npm test [-- checks|unit|integration|e2e] [-- vitest's own arguments]`: the checks, the unit tests, the integration tests, then
// the end-to-end tests.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { countsLine, sumCounts, type Counts } from "./counts.ts";

const PARTS = ["checks", "unit", "integration", "e2e"] as const;
type Part = (typeof PARTS)[number];

const root = fileURLToPath(new URL("..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "landfall-test-"));

const isPart = (text: string): text is Part => PARTS.some((part) => part === text);

/** The parts to run and what is passed on to vitest. With a filter of names or files the checks are left out. */
function readArguments(args: readonly string[]): { parts: Part[]; rest: string[] } {
  const named = args.filter(isPart);
  const rest = args.filter((argument) => !isPart(argument));
  if (named.length > 0) return { parts: PARTS.filter((part) => named.includes(part)), rest };
  return { parts: rest.length > 0 ? PARTS.filter((part) => part !== "checks") : [...PARTS], rest };
}

function run(args: readonly string[], env: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => child.kill(signal));
    child.once("error", () => {
      resolve(1);
    });
    child.once("close", (code) => {
      resolve(code ?? 1);
    });
  });
}

/** What the part wrote; a part that ended without a word, or with an error that no test shows, has failed. */
function readCounts(file: string, exitCode: number): Counts {
  let counts: Counts;
  try {
    counts = JSON.parse(readFileSync(file, "utf8")) as Counts;
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
  if (exitCode !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

async function runPart(part: Part, rest: readonly string[]): Promise<Counts> {
  const file = join(scratch, `${part}.json`);
  const began = Date.now();
  process.stdout.write(`\n== ${part}\n`);
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project", part, ...rest];
  const args = part === "checks" ? ["scripts/check.ts", "--counts", file] : vitest;
  const exitCode = await run(args, { LANDFALL_TEST_COUNTS: file });
  const counts = readCounts(file, exitCode);
  process.stdout.write(`== ${part}: ${countsLine(counts)} in ${((Date.now() - began) / 1000).toFixed(1)} s\n`);
  return counts;
}

const { parts, rest } = readArguments(process.argv.slice(2));
const results: Counts[] = [];
for (const part of parts) results.push(await runPart(part, rest));
rmSync(scratch, { recursive: true, force: true });
const total = sumCounts(results);
if (total.passed + total.failed === 0) process.stdout.write("no test ran\n");
process.stdout.write(`\n${countsLine(total)}\n`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
