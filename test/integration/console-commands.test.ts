import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRunner } from "../../src/console/commands/run-command.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-commands-"));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

/** A runner of this program in place of the command line. */
async function runnerOf(program: string) {
  const main = join(folder, `${String(program.length)}.mjs`);
  await writeFile(main, program);
  return createRunner({ main, env: {}, kubeconfig: null, registry: [] });
}

const forever = new AbortController().signal;
const SLEEPS = "setInterval(() => undefined, 1000);";

describe("a command of the console", () => {
  it("gets its arguments as they are, and gives its standard output, also if a limit was passed", async () => {
    const runner = await runnerOf("console.log(JSON.stringify(process.argv.slice(2))); process.exitCode = 3;");
    expect(JSON.parse(await runner.run(["a b", "$(x)", "--c=d"], forever))).toEqual(["a b", "$(x)", "--c=d"]);
  });

  it("that fails says why by its last line", async () => {
    const runner = await runnerOf(
      "console.error('landfall: notes'); console.error('landfall: no such bundle'); process.exitCode = 2;",
    );
    await expect(runner.run([], forever)).rejects.toMatchObject({
      code: "CONSOLE_COMMAND",
      params: { detail: "no such bundle" },
    });
  });

  it("runs alone, ends when it is cancelled or the console ends, and leaves room for the next", async () => {
    const runner = await runnerOf(SLEEPS);
    const cancel = new AbortController();
    const first = runner.run([], cancel.signal);
    await expect(runner.run([], forever)).rejects.toMatchObject({ code: "CONSOLE_BUSY" });
    cancel.abort();
    await expect(first).rejects.toMatchObject({ code: "CONSOLE_COMMAND" });
    const second = runner.run([], forever);
    runner.stop();
    await expect(second).rejects.toMatchObject({ code: "CONSOLE_COMMAND" });
  });
});
