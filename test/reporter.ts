import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestModule, TestRunEndReason, Vitest } from "vitest/node";
import type { PartReport, Taken } from "./counts.ts";
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

type Errors = readonly { message: string; stack?: string | undefined }[];

const messageOf = (errors: Errors = []): string => {
  const first = errors[0];
  const at = first?.stack?.split("\n").find((line) => line.includes("/test/")) ?? "";
  return `${first?.message ?? "no error was reported"}${at === "" ? "" : `\n${at.trim()}`}`;
};

/**
 * Counts the tests of a run, names every skipped one with its reason, and writes the counts, what failed and what each file took
 * as JSON to the file that `LANDFALL_TEST_COUNTS` names. A skip without a reason is a failure: `context.skip("why")` gives one.
 */
export default class CountingReporter implements Reporter {
  private filtered = false;

  onInit(vitest: Vitest): void {
    this.filtered = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: SerializedErrors, reason: TestRunEndReason): void {
    const report: PartReport = { passed: 0, failed: 0, skipped: 0, taken: modules.map(takenBy), failures: [] };
    for (const module of modules) this.countModule(module, report);
    for (const error of errors) report.failures.push({ name: "the test run", error: messageOf([error]) });
    if (reason === "interrupted") report.failures.push({ name: "the test run", error: "it was interrupted" });
    report.failed = report.failures.length;
    const file = process.env["LANDFALL_TEST_COUNTS"];
    if (file !== undefined) writeFileSync(file, JSON.stringify(report));
  }

  private countModule(module: TestModule, report: PartReport): void {
    const file = takenBy(module).name;
    const before = report.failures.length;
    const suites = [...module.children.allSuites()].flatMap((suite) => suite.errors());
    const outside = [...module.errors(), ...suites];
    for (const test of module.children.allTests()) {
      const result = test.result();
      const name = `${file} > ${test.fullName}`;
      if (result.state === "passed") report.passed += 1;
      else if (result.state === "skipped") this.countSkip(report, name, result.note, outside);
      else report.failures.push({ name, error: messageOf(result.errors) });
    }
    if (module.state() !== "failed" || report.failures.length > before) return;
    // A hook that fails, or a file that does not load, fails no test of its own.
    report.failures.push({ name: file, error: messageOf(outside) });
  }

  private countSkip(report: PartReport, name: string, note: string | undefined, outside: Errors): void {
    if (note !== undefined) {
      report.skipped += 1;
      process.stdout.write(`skipped: ${name}: ${note}\n`);
    } else if (!this.filtered) {
      report.failures.push({
        name,
        error: outside.length > 0 ? messageOf(outside) : "it was skipped without a reason",
      });
    }
  }
}
