import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { endGroup } from "../../processes/end-group.ts";

const GUARD = fileURLToPath(new URL("guard.sh", import.meta.url));

export interface ProcessSpec {
  /** The name in messages: `etcd`, `webhook`. */
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  /** This process's folder if it is omitted. */
  cwd?: string;
  logFile: string;
  /** Seconds between SIGTERM and SIGKILL. */
  graceSeconds?: number;
}

export interface ManagedProcess {
  readonly name: string;
  readonly logFile: string;
  /** The guard's process id, which is that of the process group too. */
  readonly pid: number | undefined;
  /** How it ended, as text: `exit code 1`, `signal 9`. */
  readonly exited: Promise<string>;
  /** Sends SIGTERM, then SIGKILL after the grace period; resolves when all its processes have ended. May be called twice. */
  stop(): Promise<void>;
}

/** `told` is what the guard wrote: a shell's exit code, 128 + N after signal N. It is empty if the guard itself was killed. */
function inWords(told: string, signal: NodeJS.Signals | null): string {
  const code = Number(told);
  if (told === "") return signal ?? "without a reason";
  return code > 128 ? `signal ${code - 128}` : `exit code ${code}`;
}

/**
 * Starts a process that cannot outlive this one: `guard.sh` runs it, and ends it when the pipe from this process closes for
 * any reason. Output is appended to the log file. Programs that run to their end are called with execa; this one is
 * supervised for as long as local mode runs, and needs the guard's pipes and nothing of execa.
 */
export function spawnProcess(spec: ProcessSpec): ManagedProcess {
  mkdirSync(dirname(spec.logFile), { recursive: true });
  const log = openSync(spec.logFile, "a");
  const guard = spawn("/bin/sh", [GUARD, String(spec.graceSeconds ?? 5), spec.command, ...spec.args], {
    ...(spec.cwd === undefined ? {} : { cwd: spec.cwd }),
    env: spec.env,
    stdio: ["pipe", log, log, "pipe"],
    // A process group of its own: Ctrl-C reaches the supervisor only, which then stops everything in order.
    detached: true,
  });
  closeSync(log);
  // The pipe breaks if the guard ends first; `exited` then resolves.
  guard.stdin?.on("error", () => undefined);
  let told = "";
  guard.stdio[3]?.on("data", (data: Buffer) => (told += data.toString()));
  const exited = new Promise<string>((resolve) => {
    guard.once("error", (error) => {
      resolve(error.message);
    });
    // Ends the other processes of the group if the guard was killed.
    guard.once("exit", () => {
      if (guard.pid !== undefined) endGroup(guard.pid, "SIGKILL");
    });
    guard.once("close", (_code, signal) => {
      resolve(inWords(told.trim(), signal));
    });
  });
  return {
    name: spec.name,
    logFile: spec.logFile,
    pid: guard.pid,
    exited,
    async stop() {
      guard.stdin?.end();
      await exited;
    },
  };
}
