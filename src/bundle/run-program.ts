import { execFile } from "node:child_process";

export interface ProgramOutcome {
  /** 127 where the program could not be started. */
  code: number;
  stdout: Buffer;
  stderr: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Runs a program with an argument array, in our own environment unless `env` is given; that it fails is an outcome, not an exception. */
export function runProgram(path: string, args: string[], cwd?: string, env?: Environment): Promise<ProgramOutcome> {
  return new Promise((resolve) => {
    const maxBuffer = 256 * 1024 * 1024;
    execFile(path, args, { cwd, env, maxBuffer, encoding: "buffer" }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 127;
      resolve({ code, stdout, stderr: code === 127 && error !== null ? error.message : stderr.toString("utf8") });
    });
  });
}
