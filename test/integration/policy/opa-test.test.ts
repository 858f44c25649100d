import { describe, expect, it } from "vitest";
import { runProgram } from "../../../src/bundle/run-program.ts";
import { checkPolicies } from "../../../scripts/check/check-policies.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { SOURCE } from "../../support/bundles/built-bundle.ts";

describe("the policies", () => {
  it("pass their own tests, with full coverage", async () => {
    const opa = await toolPath("opa");
    const plain = await runProgram(opa, ["test", "--timeout", "60s", SOURCE]);
    expect(plain.stdout.toString("utf8")).toMatch(/PASS: (\d+)\/\1/);
    const covered = await runProgram(opa, ["test", "--timeout", "60s", "--coverage", "--threshold", "100", SOURCE]);
    expect(covered.stderr).toBe("");
    expect(covered.code).toBe(0);
  });

  it("are strict, formatted and up to date with their generators", async () => {
    expect(await checkPolicies()).toEqual([]);
  });
});
