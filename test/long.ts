// `npm run test:long [-- random|faults|soak]`: what is long by nature. `random` is every unit and integration test with random
// cases, `faults` every end-to-end test with rounds of faults, both with many times the cases and rounds of `npm test`; `soak` is
// test/long, which watches memory under load. docs/internals/test-results.md holds the last results.
import { glob, readFile } from "node:fs/promises";
import type { PartReport } from "./counts.ts";
import { printSummary } from "./print-summary.ts";
import { type Part, runPart, vitestArgs } from "./run-part.ts";

const SCALED = /from "(?:\.\.\/)+support\/(?:scale|fuzz)\.ts"/;

/** The test files below a folder whose length is a matter of choice; see support/scale.ts. Without any, vitest would run all. */
async function scaledFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob(`${folder}/**/*.test.ts`))
    if (SCALED.test(await readFile(file, "utf8"))) files.push(file);
  if (files.length === 0) throw new TypeError(`no test file in ${folder} imports support/scale.ts`);
  return files.sort();
}

const scaled = (scale: string): Record<string, string> => ({
  LANDFALL_TEST_SCALE: process.env["LANDFALL_TEST_SCALE"] ?? scale,
});

const PARTS: readonly Part[] = [
  {
    name: "random",
    args: vitestArgs(
      ["unit", "integration"],
      await scaledFiles("test/{unit,integration,security/unit,security/fuzz,security/integration}"),
    ),
    env: scaled("10"),
  },
  {
    name: "faults",
    args: vitestArgs(["e2e-shared", "e2e"], await scaledFiles("test/e2e")),
    env: scaled("5"),
  },
  { name: "soak", args: vitestArgs(["long"], []) },
];

const began = performance.now();
const named = process.argv.slice(2);
const reports = new Map<string, PartReport>();
for (const part of PARTS)
  if (named.length === 0 || named.includes(part.name)) reports.set(part.name, await runPart(part));
printSummary(reports, began, false);
