import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { installedVersion } from "../../../src/toolchain/installed-version.ts";

it("caches the version of a program, but not a failure", async () => {
  const dir = await mkdtemp(join(tmpdir(), "landfall-version-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const program = join(dir, "program");
  const answer = join(dir, "answer");
  await writeFile(program, `#!/bin/sh\ncat "${answer}"\n`);
  await chmod(program, 0o755);
  const ask = (): Promise<string | null> => installedVersion(program, ["version"], join(dir, "cache"));
  expect(await ask()).toBeNull();
  await writeFile(answer, "v1.2.3\n");
  expect(await ask()).toBe("1.2.3");
  await rm(answer);
  expect(await ask()).toBe("1.2.3");
});
