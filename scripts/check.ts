// `npm run check [-- NAME...]`: formatting, lint, types, architecture, exports, policies, charts, workflows,
// generated files, regular expressions, licences, prose, forbidden text.
// Exit 0 only if nothing is wrong. Writes the counts for test/run.ts to the file that LANDFALL_TEST_COUNTS names.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Argument, Command } from "commander";
import { execa } from "execa";
import { outputError } from "../src/flags/option-values.ts";
import { checkArchitecture } from "./check/check-architecture.ts";
import { checkForbiddenText } from "./check/check-forbidden-text.ts";
import { checkGenerated } from "./check/check-generated.ts";
import { checkProse } from "./check/check-prose.ts";

interface Check {
  name: string;
  /** Resolves to what is wrong, one line each; empty when all is well. */
  run: () => Promise<string[]>;
}

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

/** Runs a program of node_modules with this Node. */
const tool = (program: string, ...args: string[]): (() => Promise<string[]>) =>
  script(`node_modules/${program}`, ...args);

/** Runs a script with this Node; its output is the problem when it fails. */
function script(...args: string[]): () => Promise<string[]> {
  return async () => {
    const options = { cwd: root, stdin: "ignore", all: true, reject: false } as const;
    const result = await execa(process.execPath, args, options);
    return result.failed ? [result.all.trim() || (result.shortMessage ?? "")] : [];
  };
}

const both =
  (...runs: readonly (() => Promise<string[]>)[]): (() => Promise<string[]>) =>
  async () =>
    (await Promise.all(runs.map((run) => run()))).flat();

/** Prints what is worth knowing but wrong with nothing. */
function note(...notes: string[]): void {
  for (const text of notes) process.stdout.write(`  note: ${text}\n`);
}

async function architecture(): Promise<string[]> {
  const { problems, warnings } = await checkArchitecture(root);
  note(...warnings);
  return problems;
}

async function generated(): Promise<string[]> {
  const { problems, notes } = await checkGenerated(root);
  note(...notes);
  return problems;
}

// The longest first, so that two at a time end soonest. The checks of other folders are loaded late: one that does not
// load is a failed check, not the end of all.
const CHECKS: readonly Check[] = [
  { name: "lint", run: tool("oxlint/bin/oxlint", "--deny-warnings", ".") },
  // TypeScript 7 is a program without an interface for other programs: the checks that read syntax trees use version 6.
  { name: "types", run: both(tool("typescript-7/bin/tsc", "-p", "."), tool("typescript-7/bin/tsc", "-p", "web")) },
  { name: "format", run: tool("oxfmt/bin/oxfmt", "--check", ".") },
  { name: "charts", run: async () => (await import("./check/check-charts.ts")).checkCharts() },
  { name: "policies", run: async () => (await import("./check/check-policies.ts")).checkPolicies() },
  { name: "generated files", run: generated },
  { name: "docs", run: async () => (await import("./docs/check-docs.ts")).checkDocs(root) },
  { name: "workflows", run: async () => (await import("./check/check-workflows.ts")).checkWorkflows() },
  {
    name: "regular expressions",
    run: async () => (await import("./check/check-regular-expressions.ts")).checkRegularExpressions(root),
  },
  { name: "exports", run: async () => (await import("./check/check-exports.ts")).checkExports(root) },
  { name: "licences", run: async () => (await import("./check/check-licences.ts")).checkLicences(root) },
  { name: "prose", run: () => checkProse(root) },
  { name: "architecture", run: architecture },
  { name: "forbidden text", run: () => checkForbiddenText(root) },
];

interface Outcome {
  name: string;
  seconds: number;
  problems: readonly string[];
}

async function runCheck(check: Check): Promise<Outcome> {
  const began = performance.now();
  const problems = await check
    .run()
    .catch((thrown: unknown) => [thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)]);
  const seconds = (performance.now() - began) / 1000;
  const ok = problems.length === 0;
  const details = problems.map((problem) => `  ${problem.replaceAll("\n", "\n  ")}\n`).join("");
  process.stdout.write(`check ${check.name}: ${ok ? "ok" : "FAILED"} (${seconds.toFixed(1)} s)\n${details}`);
  return { name: check.name, seconds, problems };
}

const command = new Command("check")
  .configureOutput({ outputError })
  .addArgument(new Argument("[names...]", "checks to run (default: all)").choices(CHECKS.map(({ name }) => name)))
  .parse();
const chosen = command.args.length === 0 ? CHECKS : CHECKS.filter(({ name }) => command.args.includes(name));
const waiting = [...chosen];
const outcomes: Outcome[] = [];
async function worker(): Promise<void> {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) outcomes.push(await runCheck(check));
}
await Promise.all([worker(), worker()]);
const passed = outcomes.filter(({ problems }) => problems.length === 0).length;
const failed = outcomes.length - passed;
const report = process.env["LANDFALL_TEST_COUNTS"];
if (report !== undefined) {
  const taken = outcomes.map(({ name, seconds }) => ({ name, seconds, cpuSeconds: null }));
  const failures = outcomes.flatMap(({ name, problems }) =>
    problems.length === 0 ? [] : [{ name: `check ${name}`, error: problems.join("\n") }],
  );
  writeFileSync(report, JSON.stringify({ passed, failed, skipped: 0, taken, failures }));
}
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
