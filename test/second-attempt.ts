import type { Failure, PartReport } from "./counts.ts";

/** More failing files than this are no accident of a busy machine. */
const MOST_FILES = 3;

const fileOf = ({ name }: Failure): string => name.split(" > ")[0] ?? name;

/** Files of a part's failed tests that may run once more; none if something else failed, or too many files did. */
export function filesToRepeat({ failures }: PartReport): string[] {
  const files = [...new Set(failures.map(fileOf))];
  return files.every((file) => file.endsWith(".test.ts")) && files.length <= MOST_FILES ? files : [];
}

/**
 * A part's report after its failed files ran again: tests that passed this time count as passed, and are listed as flaky. What
 * failed again stays failed, with the error of the first run.
 */
export function afterRepeat(first: PartReport, second: PartReport): PartReport {
  if (second.passed === 0) return first;
  const names = new Set(second.failures.map(({ name }) => name));
  const again = first.failures.filter(({ name }) => names.has(name));
  // What failed in the second run only is a failure, too.
  const known = new Set(first.failures.map(({ name }) => name));
  const failures = [...again, ...second.failures.filter(({ name }) => !known.has(name))];
  const flaky = first.failures.filter(({ name }) => !names.has(name));
  return { ...first, passed: first.passed + flaky.length, failed: failures.length, failures, flaky };
}
