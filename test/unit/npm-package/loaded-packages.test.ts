import { glob, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { REQUIRED_PACKAGES } from "../../../scripts/npm-package/bundle-commands.ts";
import { loadedPackages } from "../../../scripts/npm-package/loaded-packages.ts";

describe("packages that are loaded by require", () => {
  it.each([
    ['const load = createRequire(import.meta.url);\nload("re2js") as typeof Re2;', ["re2js"]],
    ['const require = createRequire(import.meta.url);\nrequire.resolve("@a/b/dist/x");', ["@a/b"]],
    ['const { x } = createRequire(import.meta.url)("@a/b");', ["@a/b"]],
    ['const f = require("ajv/dist/runtime/ucs2length"), g = require("node:fs"), h = require("./own");', ["ajv"]],
    ['import { load } from "./other.ts";\nload("text"); one.require("two");', []],
  ])("%s", (code, packages) => {
    expect(loadedPackages(code)).toEqual(packages);
  });

  it("are the dependencies of the npm package", async () => {
    const files = await Array.fromAsync(glob(["src/**/*.ts", "schemas/checks/*.cjs"]));
    const codes = await Promise.all(files.map((file) => readFile(file, "utf8")));
    expect([...new Set(codes.flatMap(loadedPackages))].sort()).toEqual([...REQUIRED_PACKAGES].sort());
  });
});
