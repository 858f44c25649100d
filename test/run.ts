// `npm test [-- checks|unit|integration|e2e] [-- vitest's own arguments]`: the checks, the unit tests and the integration tests,
// and beside them the end-to-end tests, which mostly wait.
import type { PartReport } from "./counts.ts";
import { printSummary } from "./print-summary.ts";
import { afterRepeat, filesToRepeat } from "./second-attempt.ts";
import { type Part, runPart, vitestArgs } from "./run-part.ts";

const PARTS = ["checks", "unit", "integration", "e2e"] as const;
type Name = (typeof PARTS)[number];
const PROJECTS: Record<Exclude<Name, "checks">, readonly string[]> = {
  unit: ["unit"],
  integration: ["integration"],
  e2e: ["e2e-shared", "e2e"],
};

const isName = (text: string): text is Name => PARTS.some((part) => part === text);

/** The parts to run and what is passed on to vitest. With a filter of names or files the checks are left out. */
function readArguments(args: readonly string[]): { names: Name[]; rest: string[] } {
  const named = args.filter(isName);
  const rest = args.filter((argument) => !isName(argument));
  if (named.length > 0) return { names: PARTS.filter((part) => named.includes(part)), rest };
  return { names: rest.length > 0 ? PARTS.filter((part) => part !== "checks") : [...PARTS], rest };
}

const began = performance.now();
const { names, rest } = readArguments(process.argv.slice(2));
const reports = new Map<string, PartReport>();

const partOf = (name: Name): Part => ({
  name,
  args: name === "checks" ? ["scripts/check.ts"] : vitestArgs(PROJECTS[name], rest),
});

/** One after the other. */
async function runAll(lane: readonly Name[], prefixed: boolean): Promise<void> {
  for (const name of lane) reports.set(name, await runPart(partOf(name), prefixed));
}

/** Tests of real servers can fail because two of them share a busy processor: what failed runs once more, with nothing beside it. */
async function repeatFailed(): Promise<void> {
  for (const name of ["integration", "e2e"] as const) {
    const first = reports.get(name);
    const files = first === undefined ? [] : filesToRepeat(first);
    if (first === undefined || files.length === 0) continue;
    const part = {
      name: `${name}, second attempt`,
      args: vitestArgs(PROJECTS[name], [...rest.filter((one) => one.startsWith("-")), ...files]),
    };
    reports.set(name, afterRepeat(first, await runPart(part, false)));
  }
}

const lanes = [names.filter((name) => name !== "e2e"), names.filter((name) => name === "e2e")];
const together = lanes.every((lane) => lane.length > 0);
await Promise.all(lanes.map((lane) => runAll(lane, together)));
await repeatFailed();
printSummary(reports, began, rest.length > 0);
