import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { LandfallError, messageOf } from "../errors.ts";

const run = promisify(execFile);

/** Runs a program to its end and returns what it printed. Errors: TOOL_FAILED with what it said. */
export async function runTool(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  try {
    return (await run(command, args, { env })).stdout;
  } catch (error) {
    const detail = (error as { stderr?: string }).stderr?.trim() ?? "";
    throw new LandfallError(
      "TOOL_FAILED",
      { tool: `${command} ${args[0] ?? ""}`, detail: detail || messageOf(error) },
      error,
    );
  }
}
