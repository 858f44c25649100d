import { expect, it } from "vitest";
import { runProgram } from "../../../src/bundle/run-program.ts";

const node = process.execPath;

it("returns the exit code and the output", async () => {
  const script = "console.log('out'); console.error('err'); process.exitCode = 3";
  const { code, stdout, stderr } = await runProgram(node, ["-e", script]);
  expect([code, stdout.toString("utf8"), stderr]).toEqual([3, "out\n", "err\n"]);
});

it("terminates a program that takes too long, and reports it", async () => {
  const outcome = await runProgram(node, ["-e", "setInterval(() => {}, 1000)"], { timeoutMs: 200 });
  expect(outcome.code).toBe(127);
  expect(outcome.stderr).toContain("it was ended after 0.2 s");
});
