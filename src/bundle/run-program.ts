import { execa } from "execa";

export interface ProgramOutcome {
  /** 127 if the program could not be started, was ended by a signal, took too long or printed too much. */
  code: number;
  stdout: Buffer;
  stderr: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/**
 * Runs a program with an argument array, in our own environment unless `env` is given, and terminates it after
 * `timeoutMs` if that is given. A failure is a result, not an exception.
 */
export async function runProgram(
  path: string,
  args: string[],
  { cwd, env, timeoutMs }: { cwd?: string; env?: Environment | undefined; timeoutMs?: number } = {},
): Promise<ProgramOutcome> {
  const result = await execa(path, args, {
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env, extendEnv: false }),
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    ...{ encoding: "buffer", maxBuffer: MAX_OUTPUT_BYTES, reject: false, stripFinalNewline: false },
  });
  const { exitCode, originalMessage, shortMessage = "" } = result;
  if (exitCode === undefined) return { code: 127, stdout: Buffer.alloc(0), stderr: originalMessage ?? shortMessage };
  return { code: exitCode, stdout: Buffer.from(result.stdout), stderr: Buffer.from(result.stderr).toString("utf8") };
}
