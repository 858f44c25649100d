// Setup of every project: what a test file and the programs that it started and waited for cost in processor time. The reporter
// prints it beside the seconds that passed, so that waiting is told from work. Linux only; elsewhere the figure is left out.
import { existsSync, readFileSync } from "node:fs";
import { afterAll } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    cpuSeconds?: number;
  }
}

const STAT = "/proc/self/stat";
/** proc(5): the kernel tells times of processes in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Seconds of this process and of its children that have ended: utime, stime, cutime, cstime. */
function cpuSeconds(): number {
  // The fields follow the program's name, which stands in parentheses and may hold spaces.
  const fields = readFileSync(STAT, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks / TICKS_PER_SECOND;
}

if (existsSync(STAT)) {
  const before = cpuSeconds();
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the source: the first argument has to be such a pattern
  afterAll(({}, file) => {
    file.meta.cpuSeconds = cpuSeconds() - before;
  });
}
