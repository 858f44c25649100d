import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

const ENTRY = fileURLToPath(new URL("../../../src/composition/main.ts", import.meta.url));

/** A controller as a process of its own. */
export interface ControllerProcess {
  child: ChildProcess;
  /** What it has logged so far, one object per line. */
  lines(): Record<string, unknown>[];
  /** Ends it by a signal; resolves with its exit code, null after a signal that it did not handle. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts a composition controller with these arguments, and further arguments and variables for node. */
export function startControllerProcess(
  args: string[],
  node: { args?: string[]; env?: Record<string, string> } = {},
): ControllerProcess {
  const env = { ...process.env, ...node.env };
  const child = spawn(process.execPath, [...(node.args ?? []), ENTRY, ...args], {
    ...{ stdio: ["ignore", "pipe", "inherit"], env },
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return {
    child,
    lines: () =>
      output
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    async end(signal) {
      child.kill(signal);
      return exited;
    },
  };
}
