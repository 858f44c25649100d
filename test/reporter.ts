import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestModule, TestRunEndReason, Vitest } from "vitest/node";
import type { Counts, PartReport, Taken } from "./counts.ts";
import type {} from "./setup/measure-cpu.ts";

type SerializedErrors = Parameters<NonNullable<Reporter["onTestRunEnd"]>>[1];

function takenBy(module: TestModule): Taken {
  const { duration, collectDuration, setupDuration } = module.diagnostic();
  return {
    name: relative(module.project.config.root, module.moduleId),
    seconds: (duration + collectDuration + setupDuration) / 1000,
    cpuSeconds: module.meta().cpuSeconds ?? null,
  };
}

/**
 * Counts the tests of a run, names every skipped one with its reason, and writes the counts, and what each file took, as JSON to
 * the file that `LANDFALL_TEST_COUNTS` names. A skip without a reason is a failure: `context.skip("why")` gives one.
 */
export default class CountingReporter implements Reporter {
  private filtered = false;

  onInit(vitest: Vitest): void {
    this.filtered = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: SerializedErrors, reason: TestRunEndReason): void {
    const total: PartReport = { passed: 0, failed: errors.length, skipped: 0, taken: modules.map(takenBy) };
    for (const module of modules) {
      const counts = this.countModule(module);
      total.passed += counts.passed;
      total.failed += counts.failed;
      total.skipped += counts.skipped;
    }
    if (reason === "interrupted") total.failed += 1;
    const file = process.env["LANDFALL_TEST_COUNTS"];
    if (file !== undefined) writeFileSync(file, JSON.stringify(total));
  }

  private countModule(module: TestModule): Counts {
    const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
    for (const test of module.children.allTests()) {
      const result = test.result();
      if (result.state === "passed") counts.passed += 1;
      else if (result.state === "failed") counts.failed += 1;
      else if (result.state === "skipped")
        this.countSkip(counts, `${module.project.name} ${test.fullName}`, result.note);
      else counts.failed += 1;
    }
    // A hook that fails, or a file that does not load, fails no test of its own.
    if (module.state() === "failed" && counts.failed === 0) counts.failed = 1;
    return counts;
  }

  private countSkip(counts: Counts, name: string, note: string | undefined): void {
    if (note !== undefined) {
      counts.skipped += 1;
      process.stdout.write(`skipped: ${name}: ${note}\n`);
    } else if (!this.filtered) {
      counts.failed += 1;
      process.stdout.write(`FAILED: ${name} was skipped without a reason\n`);
    }
  }
}
