import { LandfallError } from "../errors.ts";
import { runProgram } from "./run-program.ts";

export interface TestPolicies {
  /** Path of the opa binary. */
  opa: string;
  /** Folder of the policies with their tests. */
  source: string;
  /** What the WASM runtime can do. */
  capabilities: string;
}

/** The last lines say what is wrong; the first ones may be hundreds of passed tests. */
const lastLines = (text: string): string => text.trim().split("\n").slice(-12).join("\n");

/**
 * Runs `opa check --strict` with the runtime's capabilities, then `opa test`. Throws BUNDLE_BUILD for what the check says,
 * BUNDLE_TEST for tests that fail.
 */
export async function testPolicies({ opa, source, capabilities }: TestPolicies): Promise<void> {
  const checked = await runProgram(opa, ["check", "--strict", "--capabilities", capabilities, source]);
  if (checked.code !== 0)
    throw new LandfallError("BUNDLE_BUILD", { detail: lastLines(checked.stdout.toString("utf8") + checked.stderr) });
  const tested = await runProgram(opa, ["test", source]);
  if (tested.code !== 0)
    throw new LandfallError("BUNDLE_TEST", { detail: lastLines(tested.stdout.toString("utf8") + tested.stderr) });
}
