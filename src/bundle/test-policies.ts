import { LandfallError } from "../errors.ts";
import { runProgram } from "./run-program.ts";

export interface TestPolicies {
  /** Path of the opa binary. */
  opa: string;
  /** Folder of the policies with their tests. */
  source: string;
  /** The capabilities of the WASM runtime. */
  capabilities: string;
}

/** Of one test: opa's own limit of 5 s fails slow tests on a busy machine. */
const TIMEOUT = "60s";

/** The environment that opa sees: rules read it with `opa.runtime()`, and it can hold keys and tokens. */
const BARE = { PATH: "/usr/bin:/bin", HOME: "/nonexistent" };

/** The last lines say what is wrong; the first ones may be hundreds of passed tests. */
const lastLines = (text: string): string => text.trim().split("\n").slice(-12).join("\n");

/**
 * Runs `opa check --strict`, then `opa test`, both with the runtime's capabilities and without our environment: the check
 * does not see the policies of archives among the sources, but the tests run them. Throws BUNDLE_BUILD for what the check
 * says, BUNDLE_TEST for tests that fail.
 */
export async function testPolicies({ opa, source, capabilities }: TestPolicies): Promise<void> {
  const limits = ["--capabilities", capabilities];
  const checked = await runProgram(opa, ["check", "--strict", ...limits, source], { env: BARE });
  if (checked.code !== 0)
    throw new LandfallError("BUNDLE_BUILD", { detail: lastLines(checked.stdout.toString("utf8") + checked.stderr) });
  const tested = await runProgram(opa, ["test", "--timeout", TIMEOUT, ...limits, source], { env: BARE });
  if (tested.code !== 0)
    throw new LandfallError("BUNDLE_TEST", { detail: lastLines(tested.stdout.toString("utf8") + tested.stderr) });
}
