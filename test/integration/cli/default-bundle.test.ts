import { cp, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { defaultBundle } from "../../../src/cli/options/default-bundle.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";

const project = fileURLToPath(new URL("../../..", import.meta.url));
let root = "";
let cacheDir = "";

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "landfall-default-bundle-"));
  cacheDir = join(root, "cache");
  for (const folder of ["policies", "src/bundle", "src/model/bundle-format"])
    await cp(join(project, folder), join(root, folder), { recursive: true });
  for (const folder of ["catalog", "tools"]) await symlink(join(project, folder), join(root, folder));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const build = (): Promise<string> => defaultBundle({ root, cacheDir, opa: () => toolPath("opa") });

it("is cached while nothing changes, and rebuilt for another builder", async () => {
  const first = await build();
  expect(await defaultBundle({ root, cacheDir, opa: () => Promise.reject(new TypeError("built twice")) })).toBe(first);
  await writeFile(join(root, "src/bundle/build-bundle.ts"), "// another builder\n");
  const second = await build();
  expect(second).not.toBe(first);
  expect((await readdir(cacheDir)).map((name) => join(cacheDir, name)).sort()).toEqual([first, second].sort());
});

it("leaves no file behind when the build fails", async () => {
  const empty = join(root, "empty");
  const failing = defaultBundle({ root, cacheDir: empty, opa: () => Promise.resolve("/bin/false") });
  await expect(failing).rejects.toMatchObject({ code: "BUNDLE_BUILD" });
  expect(await readdir(empty)).toEqual([]);
});
