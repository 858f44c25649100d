// Stands for a kubelet and for the hand of a saboteur: kills, freezes and starts the processes of local mode again, with other arguments
// if a test asks for them.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ManagedProcess, spawnProcess } from "../../../src/local/processes/spawn-process.ts";

/** Ms after which a kubelet starts a process again. */
const RESTART_MS = 1000;

interface Command {
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/** What is changed for one start. */
export interface Change {
  args?: (args: readonly string[]) => string[];
  /** A program and its arguments that become the process, such as `ip netns exec NAME`. */
  by?: readonly [string, ...string[]];
  env?: Record<string, string>;
}

export interface Kubelet {
  names(): string[];
  /** 0 while it does not run. */
  pid(name: string): number;
  /** Ends a process without warning. */
  kill(name: string): Promise<void>;
  start(name: string, change?: Change): void;
  /** Starts the process under another name, besides the first. */
  copy(name: string, as: string, change: Change): void;
  /** Kills it, and starts it again after these ms. */
  crash(name: string, awayMs: number): Promise<void>;
  /** Kills it, and starts it with other arguments. */
  restart(name: string, change: Change): Promise<void>;
  freeze(name: string): void;
  thaw(name: string): void;
  /** How the process ended by itself, each time: it was started again, as a kubelet does. */
  ends(name: string): readonly string[];
  /** Ends all that it started. */
  stop(): Promise<void>;
}

const SCRIPTS: readonly (readonly [end: string, name: string])[] = [
  ["webhook/main.ts", "webhook"],
  ["src/composition/main.ts", "composition"],
  ["src/local/simulators/main.ts", "simulators"],
  ["src/elemento/main.ts", "elemento"],
  ["test/doubles/elemento/main.ts", "elemento-services"],
];

const split = (text: string): string[] => text.split("\0").slice(0, -1);
const commandLine = (pid: number): string[] => {
  try {
    return split(readFileSync(`/proc/${String(pid)}/cmdline`, "utf8"));
  } catch {
    return [];
  }
};

function nameOf([command = "", ...args]: readonly string[]): string {
  const program = basename(command);
  if (program === "crane") return "registry";
  if (program !== "node") return program;
  return SCRIPTS.find(([end]) => args.some((one) => one.endsWith(end)))?.[1] ?? "";
}

/** The children of all threads of a process. */
export function childrenOf(pid: number | "self"): number[] {
  const tasks = `/proc/${String(pid)}/task`;
  try {
    return readdirSync(tasks).flatMap((task) =>
      readFileSync(`${tasks}/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/** The process that a guard.sh runs: the other one is a part of the shell itself. */
function guarded(guard: number): number {
  const own = commandLine(guard).join("\0");
  return childrenOf(guard).find((child) => commandLine(child).join("\0") !== own) ?? 0;
}

function readCommand(pid: number): Command {
  const [command = "", ...args] = commandLine(pid);
  const pairs = split(readFileSync(`/proc/${String(pid)}/environ`, "utf8")).map((pair) => {
    const at = pair.indexOf("=");
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  });
  return { command, args, env: Object.fromEntries(pairs), cwd: readlinkSync(`/proc/${String(pid)}/cwd`) };
}

const isAlive = (pid: number): boolean => commandLine(pid).length > 0;

/** Takes over the processes that this one started in local mode. `logOf` is the file that gets their output. */
export function openKubelet(logOf: (name: string) => string): Kubelet {
  const commands = new Map<string, Command>();
  const adopted = new Map<string, number>();
  const own = new Map<string, ManagedProcess>();
  const ends = new Map<string, string[]>();
  /** The ones that were ended on purpose. */
  const intended = new Set<ManagedProcess>();
  let stopped = false;
  const isStopped = (): boolean => stopped;
  for (const guard of childrenOf("self").filter((pid) => commandLine(pid).some((one) => one.endsWith("guard.sh")))) {
    const pid = guarded(guard);
    const name = nameOf(commandLine(pid));
    if (name === "") continue;
    commands.set(name, readCommand(pid));
    adopted.set(name, pid);
  }

  function pidOf(name: string): number {
    const { pid } = own.get(name) ?? {};
    const found = pid === undefined ? (adopted.get(name) ?? 0) : guarded(pid);
    return isAlive(found) ? found : 0;
  }

  function start(name: string, change: Change = {}): void {
    const { args = (same: readonly string[]) => [...same], by, env = {} } = change;
    const known = commands.get(name);
    if (known === undefined) throw new TypeError(`there is no process ${name}`);
    const line = [...(by ?? []), known.command, ...args(known.args)] as [string, ...string[]];
    const changed = { cwd: known.cwd, command: line[0], args: line.slice(1), env: { ...known.env, ...env } };
    const one = spawnProcess({ name, ...changed, logFile: logOf(name) });
    own.set(name, one);
    void one.exited.then(async (how) => {
      if (isStopped() || intended.has(one)) return;
      ends.set(name, [...(ends.get(name) ?? []), how]);
      await sleep(RESTART_MS);
      if (!isStopped() && own.get(name) === one) start(name, change);
    });
  }

  function signal(name: string, which: NodeJS.Signals): void {
    const pid = pidOf(name);
    // 0 would be the process group of the test.
    if (pid === 0) throw new TypeError(`${name} does not run`);
    process.kill(pid, which);
  }

  async function kill(name: string): Promise<void> {
    const [pid, one] = [pidOf(name), own.get(name)];
    if (one !== undefined) intended.add(one);
    if (pid > 0) process.kill(pid, "SIGKILL");
    while (isAlive(pid) && pid > 0) await sleep(20);
  }

  return {
    ...{ pid: pidOf, start, kill, names: () => [...commands.keys()] },
    copy(name, as, change) {
      commands.set(as, commands.get(name) as Command);
      start(as, change);
    },
    async crash(name, awayMs) {
      await kill(name);
      await sleep(awayMs);
      start(name);
    },
    async restart(name, change) {
      await kill(name);
      start(name, change);
    },
    freeze: (name) => {
      signal(name, "SIGSTOP");
    },
    thaw: (name) => {
      signal(name, "SIGCONT");
    },
    ends: (name) => ends.get(name) ?? [],
    async stop() {
      stopped = true;
      await Promise.all([...own.values()].map((one) => one.stop()));
    },
  };
}
