// `npm test [-- checks|unit|integration|e2e|e2e-shared] [-- vitest's own arguments]`: the checks, the unit tests and the
// integration tests, and beside them the end-to-end tests, which mostly wait. `e2e` includes `e2e-shared`.
import type { PartReport } from "./counts.ts";
import { printSummary } from "./print-summary.ts";
import { afterRepeat, filesToRepeat } from "./second-attempt.ts";
import { type Part, runPart, vitestArgs } from "./run-part.ts";

const PARTS = ["checks", "unit", "integration", "e2e", "e2e-shared"] as const;
type Name = (typeof PARTS)[number];

/** Each runs beside the others, its parts one after the other. What computes yields to what waits for real servers. */
const LANES: readonly { parts: readonly Name[]; yields: boolean }[] = [
  { parts: ["checks", "unit", "integration"], yields: true },
  { parts: ["e2e"], yields: false },
  { parts: ["e2e-shared"], yields: false },
];

const isName = (text: string): text is Name => PARTS.some((part) => part === text);

/** The parts to run and what is passed on to vitest. With a filter of names or files the checks are left out. */
function readArguments(args: readonly string[]): { names: Name[]; rest: string[] } {
  const given = args.filter(isName);
  const named = given.includes("e2e") ? [...given, "e2e-shared"] : given;
  const rest = args.filter((argument) => !isName(argument));
  if (named.length > 0) return { names: PARTS.filter((part) => named.includes(part)), rest };
  return { names: rest.length > 0 ? PARTS.filter((part) => part !== "checks") : [...PARTS], rest };
}

const began = performance.now();
const { names, rest } = readArguments(process.argv.slice(2));
const reports = new Map<string, PartReport>();

const partOf = (name: Name): Part => ({
  name,
  args: name === "checks" ? ["scripts/check.ts"] : vitestArgs([name], rest),
});

/** Tests of real servers can fail because two of them share a busy processor: what failed runs once more, with nothing beside it. */
async function repeatFailed(): Promise<void> {
  for (const name of ["integration", "e2e", "e2e-shared"] as const) {
    const first = reports.get(name);
    const files = first === undefined ? [] : filesToRepeat(first);
    if (first === undefined || files.length === 0) continue;
    const part = {
      name: `${name}, second attempt`,
      args: vitestArgs([name], [...rest.filter((one) => one.startsWith("-")), ...files]),
    };
    reports.set(name, afterRepeat(first, await runPart(part)));
  }
}

const lanes = LANES.map(({ parts, yields }) => ({ parts: parts.filter((part) => names.includes(part)), yields }));
const together = lanes.filter(({ parts }) => parts.length > 0).length > 1;
const runAll = async ({ parts, yields }: (typeof lanes)[number]): Promise<void> => {
  for (const name of parts)
    reports.set(name, await runPart(partOf(name), { prefixed: together, yields: together && yields }));
};
await Promise.all(lanes.map(runAll));
await repeatFailed();
printSummary(reports, began, rest.length > 0);
