import { spawn } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";

export interface Step {
  name?: string;
  run?: string;
  uses?: string;
  env?: Record<string, string>;
}

export interface Workflow {
  jobs: Record<string, { steps: Step[]; env?: Record<string, string> }>;
}

export const readWorkflow = async (file: string): Promise<Workflow> => parse(await readFile(file, "utf8")) as Workflow;

export interface StepResult {
  code: number | null;
  output: string;
  /** The step's GITHUB_OUTPUT. */
  outputs: Record<string, string>;
  /** The step's GITHUB_STEP_SUMMARY. */
  summary: string;
}

/** Runs a step's script as a runner does: bash -e on a file, with files for outputs and the summary. */
export async function runStep(step: Step, cwd: string, env: NodeJS.ProcessEnv): Promise<StepResult> {
  const folder = await mkdtemp(join(env["RUNNER_TEMP"] ?? cwd, "step-"));
  const [script, outputs, summary] = ["script.sh", "outputs", "summary"].map((name) => join(folder, name));
  if (script === undefined || outputs === undefined || summary === undefined) throw new RangeError("three files");
  await Promise.all([writeFile(script, step.run ?? ""), writeFile(outputs, ""), writeFile(summary, "")]);
  const child = spawn("bash", ["--noprofile", "--norc", "-e", script], {
    cwd,
    env: { ...env, GITHUB_OUTPUT: outputs, GITHUB_STEP_SUMMARY: summary },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once("error", reject).once("close", resolve),
  );
  const pairs = (await readFile(outputs, "utf8")).split("\n").filter((line) => line.includes("="));
  return {
    code,
    output,
    outputs: Object.fromEntries(
      pairs.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    ),
    summary: await readFile(summary, "utf8"),
  };
}
