import { readdir, readFile } from "node:fs/promises";
import { peakMemoryMb } from "./process-memory.ts";

/** Linux counts processor time in hundredths of a second for every program. */
const TICK_MS = 10;

interface Process {
  parent: number;
  /** Ms of processor time of its own, and of children that have ended. */
  ownMs: number;
  endedMs: number;
  commandLine: string[];
}

/** Processor time of one program in ms: its own, and that of all that it started. */
export interface Spent {
  ownMs: number;
  childrenMs: number;
}

async function readProcess(pid: string): Promise<Process | null> {
  const [stat, commandLine] = await Promise.all([
    readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""),
    readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""),
  ]);
  // The name in parentheses may have spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields.length < 15) return null;
  const [own, system, ended, endedSystem] = fields.slice(11, 15).map(Number) as [number, number, number, number];
  return {
    ...{ parent: Number(fields[1]), commandLine: commandLine.split("\0") },
    ...{ ownMs: (own + system) * TICK_MS, endedMs: (ended + endedSystem) * TICK_MS },
  };
}

async function readProcesses(): Promise<Map<number, Process>> {
  const pids = (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry));
  const found = await Promise.all(pids.map(async (pid) => [Number(pid), await readProcess(pid)] as const));
  return new Map(found.filter((entry): entry is [number, Process] => entry[1] !== null));
}

/** The parts of Landfall, and the ends of the program or of the script that each runs, in this version and in earlier ones. */
const PARTS = {
  "API server": ["/kube-apiserver"],
  etcd: ["/etcd"],
  controller: ["src/composition/main.ts"],
  webhook: ["webhook/main.ts", "webhook/server.ts"],
  simulators: ["src/local/simulators/main.ts", "src/simulators/main.ts"],
} as const;
export type Part = keyof typeof PARTS;

function isPart({ commandLine }: Process, ends: readonly string[], dir: string): boolean {
  const [program = "", ...args] = commandLine;
  // The supervisor of a process has its command line as arguments too, after its own script.
  const script = args.find((argument) => /\.[jt]s$/.test(argument)) ?? "";
  const isProgram = ends.some((end) => program.endsWith(end) || (program.endsWith("node") && script.endsWith(end)));
  return isProgram && commandLine.some((argument) => argument.includes(dir));
}

function spentBelow(all: Map<number, Process>, parent: number): number {
  const children = [...all].filter(([, process]) => process.parent === parent);
  return children.reduce((sum, [pid, { ownMs, endedMs }]) => sum + ownMs + endedMs + spentBelow(all, pid), 0);
}

/** The processor time of the parts of the Landfall in this folder. Linux only. */
export async function processorTime(dir: string): Promise<Record<Part, Spent>> {
  const all = await readProcesses();
  const spent = Object.entries(PARTS).map(([part, ends]) => {
    const [pid = 0, found] = [...all].find(([, process]) => isPart(process, ends, dir)) ?? [];
    const childrenMs = found === undefined ? 0 : found.endedMs + spentBelow(all, pid);
    return [part, { ownMs: found?.ownMs ?? 0, childrenMs }] as const;
  });
  return Object.fromEntries(spent) as Record<Part, Spent>;
}

/** MiB of resident memory of the programs that the composition controller has started and that run now. */
export async function helmMemoryMb(dir: string): Promise<number> {
  const all = await readProcesses();
  const [pid] = [...all].find(([, process]) => isPart(process, PARTS.controller, dir)) ?? [];
  const children = [...all].filter(([, { parent }]) => parent === pid);
  const sizes = await Promise.all(
    children.map(async ([child]) => {
      const status = await readFile(`/proc/${String(child)}/status`, "utf8").catch(() => "");
      return Number(/^VmRSS:\s{1,20}(\d{1,20}) kB$/m.exec(status)?.[1] ?? 0) / 1024;
    }),
  );
  return Math.round(sizes.reduce((sum, size) => sum + size, 0));
}

function pidsBelow(all: Map<number, Process>, parent: number): number[] {
  const children = [...all].filter(([, process]) => process.parent === parent).map(([pid]) => pid);
  return children.flatMap((pid) => [pid, ...pidsBelow(all, pid)]);
}

/** MiB that a part and all that it started take now. What processes share, such as Node's own code, counts once. Linux only. */
export async function memoryMb(dir: string, part: Part): Promise<number> {
  const all = await readProcesses();
  const [pid = 0] = [...all].find(([, process]) => isPart(process, PARTS[part], dir)) ?? [];
  const sizes = await Promise.all(
    [pid, ...pidsBelow(all, pid)].map(async (one) => {
      const rollup = await readFile(`/proc/${String(one)}/smaps_rollup`, "utf8").catch(() => "");
      return Number(/^Pss:\s{1,20}(\d{1,20}) kB$/m.exec(rollup)?.[1] ?? 0) / 1024;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The greatest resident memory of each part so far, in MiB. Linux only. */
export async function peakMemories(dir: string): Promise<Record<string, number>> {
  const all = await readProcesses();
  const sizes = Object.entries(PARTS).map(async ([part, ends]) => {
    const [pid] = [...all].find(([, process]) => isPart(process, ends, dir)) ?? [];
    return [part, pid === undefined ? NaN : await peakMemoryMb(pid)] as const;
  });
  return Object.fromEntries(await Promise.all(sizes));
}
