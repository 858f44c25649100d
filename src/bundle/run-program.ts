import { endGroup } from "../processes/end-group.ts";

export interface ProgramOutcome {
  /** 127 if the program could not be started, was ended by a signal, took too long or printed too much. */
  code: number;
  stdout: Buffer;
  stderr: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ProgramOptions {
  cwd?: string;
  env?: Environment | undefined;
  /** Ms after which the program and everything that it started is ended. */
  timeoutMs?: number;
  /** Bytes of output after which it is ended. */
  maxBytes?: number;
}

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** Process groups that are not ended by the end of this process. */
const groups = new Set<number>();
process.on("exit", () => {
  for (const group of groups) endGroup(group, "SIGKILL");
});

/** Ends a process group after `timeoutMs`. The result cancels that, and says whether it is too late for it. */
function endLater(pid: number, timeoutMs: number): () => boolean {
  let late = false;
  groups.add(pid);
  const timer = setTimeout(() => {
    late = true;
    endGroup(pid, "SIGKILL");
  }, timeoutMs);
  return () => {
    clearTimeout(timer);
    groups.delete(pid);
    return late;
  };
}

/** The parts of execa's options that differ. */
const surroundings = ({ cwd, env, timeoutMs, maxBytes = MAX_OUTPUT_BYTES }: ProgramOptions) => ({
  ...(cwd === undefined ? {} : { cwd }),
  ...(env === undefined ? {} : { env, extendEnv: false }),
  detached: timeoutMs !== undefined,
  maxBuffer: maxBytes,
});

/**
 * Runs a program with an argument array, in our own environment unless `env` is given. A failure is a result, not an
 * exception. A program with `timeoutMs` gets its own process group: a process that it started, such as a credential
 * helper of docker, would keep its output open after its end.
 */
export async function runProgram(path: string, args: string[], options: ProgramOptions = {}): Promise<ProgramOutcome> {
  const { timeoutMs } = options;
  // Loaded when it is needed: it takes longer to load than most commands take.
  const { execa } = await import("execa");
  const started = execa(path, args, {
    ...surroundings(options),
    ...{ encoding: "buffer", reject: false, stripFinalNewline: false },
  });
  const { pid } = started;
  const cancel = pid === undefined || timeoutMs === undefined ? null : endLater(pid, timeoutMs);
  const result = await started;
  const late = cancel?.() === true;
  const { exitCode, originalMessage, shortMessage = "" } = result;
  if (exitCode !== undefined)
    return { code: exitCode, stdout: Buffer.from(result.stdout), stderr: Buffer.from(result.stderr).toString("utf8") };
  const reason = late ? `it was ended after ${String(Number(timeoutMs) / 1000)} s` : (originalMessage ?? shortMessage);
  return { code: 127, stdout: Buffer.alloc(0), stderr: reason };
}
