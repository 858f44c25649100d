import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runProgram } from "../../../src/bundle/run-program.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";

const workflow = (timeout: string, job: string): string => `
on: { push: {} }
permissions: {}
jobs:
  ${job}:
    runs-on: ubuntu-latest
    timeout-minutes: ${timeout}
    steps:
      - run: npm test
`;

it.each([
  ["a correct workflow", workflow("5", "build"), 0],
  ["a timeout that is not a number", workflow("soon", "build"), 1],
  ["a job name that is not valid", workflow("5", "a job"), 1],
])("actionlint reads %s", async (_name, text, code) => {
  const folder = await mkdtemp(join(tmpdir(), "landfall-actionlint-"));
  try {
    const file = join(folder, "workflow.yml");
    await writeFile(file, text);
    expect(await runProgram(await toolPath("actionlint"), ["-shellcheck=", "-pyflakes=", file])).toMatchObject({
      code,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
