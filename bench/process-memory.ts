import { readdir, readFile } from "node:fs/promises";

/** The id of the process whose command line contains all `parts`; null if there is none. Linux only. */
export async function findProcess(...parts: string[]): Promise<number | null> {
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const commandLine = await readFile(`/proc/${entry}/cmdline`, "utf8").catch(() => "");
    const [program = "", ...args] = commandLine.split("\0");
    // The supervisor of a process has its command line as an argument too.
    if (program.endsWith("node") && parts.every((part) => args.join(" ").includes(part))) return Number(entry);
  }
  return null;
}

/** Peak resident memory of the process, in MiB; NaN if the system does not report it. */
export async function peakMemoryMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024);
}
