import { readdir, readFile } from "node:fs/promises";

/** The id of the process whose command line holds all `parts`; null where there is none. Linux only. */
export async function findProcess(...parts: string[]): Promise<number | null> {
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const commandLine = await readFile(`/proc/${entry}/cmdline`, "utf8").catch(() => "");
    const [program = "", ...args] = commandLine.split("\0");
    // The guard of a process names it too, as an argument of a shell.
    if (program.endsWith("node") && parts.every((part) => args.join(" ").includes(part))) return Number(entry);
  }
  return null;
}

/** Most resident memory that the process has ever had, in MiB; NaN where the system does not tell. */
export async function peakMemoryMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024);
}
