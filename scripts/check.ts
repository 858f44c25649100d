// `npm run check [-- NAME...]`: formatting, lint, types, architecture, policies, charts, workflows,
// generated files, prose, forbidden text.
// Exit 0 only if nothing is wrong. `--counts FILE` writes the counts for test/run.ts.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Argument, Command } from "commander";
import { outputError } from "../src/command-line/option-values.ts";
import { checkArchitecture } from "./check-architecture.ts";
import { checkForbiddenText } from "./check-forbidden-text.ts";
import { checkGenerated } from "./check-generated.ts";
import { checkProse } from "./check-prose.ts";

interface Check {
  name: string;
  /** Resolves to what is wrong, one line each; empty when all is well. */
  run: () => Promise<string[]>;
}

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

/** Runs a program of node_modules with this Node; its output is the problem when it fails. */
function tool(script: string, ...args: string[]): () => Promise<string[]> {
  return () =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [`node_modules/${script}`, ...args], {
        cwd: root,
        stdio: ["ignore", "pipe", "pipe"],
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
      child.once("error", (error) => {
        resolve([error.message]);
      });
      child.once("close", (code) => {
        resolve(code === 0 ? [] : [output.trim() || `exit code ${code ?? "none"}`]);
      });
    });
}

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

async function prose(): Promise<string[]> {
  const { problems, notes } = await checkProse(root);
  note(...notes);
  return problems;
}

// The longest first, so that two at a time end soonest. The checks of other folders are loaded late: one that does not
// load is a failed check, not the end of all.
const CHECKS: readonly Check[] = [
  { name: "lint", run: tool("eslint/bin/eslint.js", ".", "--max-warnings", "0") },
  { name: "types", run: tool("typescript/bin/tsc", "-p", ".") },
  { name: "format", run: tool("prettier/bin/prettier.cjs", "--check", "--log-level", "warn", ".") },
  { name: "charts", run: async () => (await import("./check-charts.ts")).checkCharts() },
  { name: "policies", run: async () => (await import("./check-policies.ts")).checkPolicies() },
  { name: "generated files", run: generated },
  { name: "docs", run: async () => (await import("./docs/check-docs.ts")).checkDocs(root) },
  { name: "workflows", run: async () => (await import("./check-workflows.ts")).checkWorkflows() },
  { name: "prose", run: prose },
  { name: "architecture", run: architecture },
  { name: "forbidden text", run: () => checkForbiddenText(root) },
];

async function runCheck(check: Check): Promise<boolean> {
  const began = performance.now();
  const problems = await check
    .run()
    .catch((thrown: unknown) => [thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)]);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const details = problems.map((problem) => `  ${problem.replaceAll("\n", "\n  ")}\n`).join("");
  process.stdout.write(`check ${check.name}: ${problems.length === 0 ? "ok" : "FAILED"} (${seconds} s)\n${details}`);
  return problems.length === 0;
}

const command = new Command("check")
  .configureOutput({ outputError })
  .addArgument(new Argument("[names...]", "all where left out").choices(CHECKS.map(({ name }) => name)))
  .option("--counts <file>", "write the counts for test/run.ts")
  .parse();
const { counts } = command.opts<{ counts?: string }>();
const chosen = command.args.length === 0 ? CHECKS : CHECKS.filter(({ name }) => command.args.includes(name));
const waiting = [...chosen];
const results: boolean[] = [];
async function worker(): Promise<void> {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) results.push(await runCheck(check));
}
await Promise.all([worker(), worker()]);
const passed = results.filter(Boolean).length;
const failed = results.length - passed;
if (counts !== undefined) writeFileSync(counts, JSON.stringify({ passed, failed, skipped: 0 }));
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
