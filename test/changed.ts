// `npm run test:changed [-- BASE]`: the quick checks of the files that differ from a commit (the last one if BASE is omitted), then
// the unit and integration tests that import one of them or (test/affected.ts) load it by path, and the end-to-end tests among them.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { affected } from "./affected.ts";
import type { PartReport } from "./counts.ts";
import { printSummary } from "./print-summary.ts";
import { type Part, runPart, vitestArgs } from "./run-part.ts";

const [base = "HEAD"] = process.argv.slice(2);

const git = (...args: string[]): string[] =>
  execFileSync("git", [...args, "-z"], { encoding: "utf8" })
    .split("\0")
    .filter(Boolean);

const changed = [
  ...git("diff", "--name-only", "--relative", base),
  ...git("ls-files", "--others", "--exclude-standard"),
];
const present = changed.filter((file) => existsSync(file));

const endToEnd = present.filter((file) => /^test\/e2e\/.*\.test\.ts$/.test(file));
const { checks, tests } = affected(changed);
const parts: Part[] = [
  { name: "checks", args: ["scripts/check.ts", ...checks] },
  { name: "tests", args: vitestArgs(["unit", "integration"], ["--changed", base]) },
  ...(tests.length > 0 ? [{ name: "tests of data", args: vitestArgs(["unit", "integration"], tests) }] : []),
  ...(endToEnd.length > 0 ? [{ name: "e2e", args: vitestArgs(["e2e-shared", "e2e"], endToEnd) }] : []),
];

const began = performance.now();
const reports = new Map<string, PartReport>();
process.stdout.write(`${String(changed.length)} files differ from ${base}\n`);
for (const part of parts) reports.set(part.name, await runPart(part));
process.stdout.write("\nwhat starts a process by path, such as most end-to-end tests, is only run by npm test\n");
printSummary(reports, began, true);
