/** Results of a part of the tests. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** What a test file, or a check, took. */
export interface Taken {
  name: string;
  seconds: number;
  /** Processor time with that of the programs that it started; null if it is not known. */
  cpuSeconds: number | null;
}

/** What a part of the tests writes for test/run.ts. */
export interface PartReport extends Counts {
  taken: Taken[];
  /** What failed, for the end of the output. */
  failures: Failure[];
  /** What failed at first and passed when its file ran again, alone. */
  flaky?: Failure[];
}

/** A failed test, by its file and name, or whatever else failed. */
export interface Failure {
  name: string;
  error: string;
}

export const sumCounts = (parts: readonly Counts[]): Counts => ({
  passed: parts.reduce((sum, part) => sum + part.passed, 0),
  failed: parts.reduce((sum, part) => sum + part.failed, 0),
  skipped: parts.reduce((sum, part) => sum + part.skipped, 0),
});

/** The parts of which no test passed: a wrong folder must not look like success. */
export const emptyParts = (reports: ReadonlyMap<string, Counts>): string[] =>
  [...reports].filter(([, { passed }]) => passed === 0).map(([name]) => name);

/** The last line of `npm test`, which machines read. */
export const countsLine = (counts: Counts): string =>
  `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;

const SLOWEST = 8;

/** `  12.3 s  (cpu 4.5 s)  test/unit/x.test.ts` of the slowest of a part, the slowest first. */
export function slowestLines(taken: readonly Taken[]): string[] {
  const slowest = [...taken].sort((one, other) => other.seconds - one.seconds).slice(0, SLOWEST);
  return slowest.map(({ name, seconds, cpuSeconds }) => {
    const cpu = cpuSeconds === null ? "" : `(cpu ${cpuSeconds.toFixed(1)} s)`;
    return `${seconds.toFixed(1).padStart(7)} s  ${cpu.padEnd(13)} ${name}`;
  });
}

/** `slowest of unit, 210 s of processor time in all:`; without the time, where the kernel does not tell it. */
export function slowestTitle(name: string, taken: readonly Taken[]): string {
  const cpu = taken.reduce((sum, { cpuSeconds }) => sum + (cpuSeconds ?? 0), 0);
  return cpu === 0 ? `slowest of ${name}:` : `slowest of ${name}, ${cpu.toFixed(0)} s of processor time in all:`;
}

const LISTED = 20;

/** `failed: test/unit/x.test.ts > name` and the error's first lines, for the end of the output, where people and logs look. */
export function failureLines(failures: readonly Failure[], word: "failed" | "flaky" = "failed"): string[] {
  const lines = failures.slice(0, LISTED).flatMap(({ name, error }) => {
    const shown = error.split("\n").slice(0, 12);
    return [`${word}: ${name}`, ...shown.map((line) => `    ${line.slice(0, 300)}`)];
  });
  return failures.length > LISTED ? [...lines, `${word}: ${failures.length - LISTED} more`] : lines;
}
