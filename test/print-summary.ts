import {
  countsLine,
  emptyParts,
  type Failure,
  failureLines,
  type PartReport,
  slowestLines,
  slowestTitle,
  sumCounts,
} from "./counts.ts";

function printFlaky(flaky: readonly Failure[]): void {
  if (flaky.length === 0) return;
  process.stdout.write(`\n${failureLines(flaky, "flaky").join("\n")}\n`);
  process.stdout.write(
    "A flaky test failed, and passed when its file ran again alone. That is a bug of the test or of the product.\n",
  );
}

/**
 * Prints what took longest in each part, what failed, then the counts as the last line; sets the exit code. Unless the run is `filtered`,
 * a part of which no test passed is a failure.
 */
export function printSummary(reports: ReadonlyMap<string, PartReport>, began: number, filtered: boolean): void {
  for (const [name, { taken }] of reports) {
    if (taken.length === 0) continue;
    process.stdout.write(`\n${slowestTitle(name, taken)}\n${slowestLines(taken).join("\n")}\n`);
  }
  printFlaky([...reports.values()].flatMap(({ flaky }) => flaky ?? []));
  const failed = [...reports.values()].flatMap(({ failures }) => failures);
  if (failed.length > 0) process.stdout.write(`\n${failureLines(failed).join("\n")}\n`);
  const total = sumCounts([...reports.values()]);
  if (total.passed + total.failed === 0) process.stdout.write("no test ran\n");
  const empty = filtered ? [] : emptyParts(reports);
  for (const name of empty) process.stdout.write(`FAILED: no test of ${name} passed\n`);
  process.stdout.write(`\n${((performance.now() - began) / 1000).toFixed(0)} s in total\n${countsLine(total)}\n`);
  process.exitCode = total.failed > 0 || total.passed === 0 || empty.length > 0 ? 1 : 0;
}
