import { fileURLToPath } from "node:url";
import { runProgram } from "../../src/bundle/run-program.ts";
import { toolPath } from "../../src/toolchain/tool-path.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Strictness, format and tests of the policies in a folder that holds bundle/ and capabilities.json, the project's own
 * where left out: what is wrong, one line each; empty where nothing is.
 */
export async function checkPolicies(folder = `${root}policies`): Promise<string[]> {
  const opa = await toolPath("opa");
  const checks: [name: string, args: string[]][] = [
    ["opa check", ["check", "--strict", "--capabilities", "capabilities.json", "bundle"]],
    ["opa fmt", ["fmt", "--list", "--fail", "bundle"]],
    ["opa test", ["test", "--timeout", "60s", "bundle"]],
  ];
  const outcomes = await Promise.all(
    checks.map(async ([name, args]) => ({ name, ...(await runProgram(opa, args, { cwd: folder })) })),
  );
  return outcomes
    .filter(({ code }) => code !== 0)
    .map(({ name, stdout, stderr }) => `${name}: ${(stdout.toString("utf8") + stderr).trim()}`);
}
