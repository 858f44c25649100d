import { execFile } from "node:child_process";

export interface ProgramOutcome {
  /** 127 where the program could not be started. */
  code: number;
  stdout: Buffer;
  stderr: string;
}

/** Runs a program with an argument array; that it fails is an outcome, not an exception. */
export function runProgram(path: string, args: string[], cwd?: string): Promise<ProgramOutcome> {
  return new Promise((resolve) => {
    execFile(path, args, { cwd, maxBuffer: 256 * 1024 * 1024, encoding: "buffer" }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 127;
      resolve({ code, stdout, stderr: code === 127 && error !== null ? error.message : stderr.toString("utf8") });
    });
  });
}
