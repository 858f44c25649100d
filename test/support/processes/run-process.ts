import { spawn } from "node:child_process";

/** Runs a script of the project, with `env` added to the environment and in the folder `cwd`; returns its exit code and output. */
export async function runProcess(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = ".",
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
    cwd,
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, out, err };
}
