import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProgram } from "../../src/bundle/run-program.ts";
import { toolPath } from "../../src/toolchain/tool-path.ts";
import { actionProblems, workflowProblems } from "./workflow-problems.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name));
  return files.map((entry) => join(entry.parentPath, entry.name)).sort();
}

/** What is wrong with the workflows and the actions beside them, one line each; empty where nothing is. */
export async function checkWorkflows(): Promise<string[]> {
  const workflows = await filesBelow(".github/workflows");
  const actions = await filesBelow(".github/actions");
  // Both programs are looked for on the PATH: what is found must not depend on the machine.
  const fixed = ["-shellcheck=", "-pyflakes=", "-no-color", "-oneline"];
  const lint = await runProgram(await toolPath("actionlint"), [...fixed, ...workflows], { cwd: root });
  const found = lint.code === 0 ? [] : [(lint.stdout.toString("utf8") + lint.stderr).trim()];
  const read = async (file: string, problems: (text: string) => string[]): Promise<string[]> =>
    problems(await readFile(file, "utf8")).map((problem) => `${file.slice(root.length)}: ${problem}`);
  const ours = await Promise.all([
    ...workflows.map((file) => read(file, workflowProblems)),
    ...actions.map((file) => read(file, actionProblems)),
  ]);
  return [...found, ...ours.flat()];
}
