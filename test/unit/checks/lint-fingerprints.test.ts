import { describe, expect, it } from "vitest";
import { fingerprints } from "../../../scripts/lint/fingerprints.ts";

const TREE = {
  "src/a.ts": 'import { b } from "./b.ts";\n',
  "src/b.ts": 'import type { C } from "../model/c.ts";\nimport data from "./d.json" with { type: "json" };\n',
  "src/d.json": "{}",
  "model/c.ts": "export type C = 1;\n",
  "src/alone.ts": "export const alone = 1;\n",
};

/** The files whose fingerprint is another one after a change. */
function changedBy(change: Record<string, string>, common = "1"): string[] {
  const before = fingerprints(new Map(Object.entries(TREE)), "1");
  const after = fingerprints(new Map(Object.entries({ ...TREE, ...change })), common);
  return [...after.keys()].filter((file) => before.get(file) !== after.get(file)).sort();
}

describe("what a lint result depends on", () => {
  it.each([
    ["the file itself", { "src/alone.ts": "export const alone = 2;\n" }, ["src/alone.ts"]],
    ["a type that an import imports", { "model/c.ts": "export type C = 2;\n" }, ["model/c.ts", "src/a.ts", "src/b.ts"]],
    ["imported JSON", { "src/d.json": "[]" }, ["src/a.ts", "src/b.ts", "src/d.json"]],
  ])("includes %s", (_name, change, expected) => {
    expect(changedBy(change)).toEqual(expected);
  });

  it("includes the configuration", () => {
    expect(changedBy({}, "2")).toHaveLength(5);
  });

  it.each([
    ["a declaration file", "src/wasm.d.ts", "declare const memory: number;\n"],
    ["a file that augments a module", "test/meta.ts", 'declare module "vitest" {\n  interface Meta {}\n}\n'],
    ["a file that declares globals", "test/global.ts", "export {};\ndeclare global {\n  var a: 1;\n}\n"],
  ])("includes %s that nobody imports", (_name, file, text) => {
    expect(changedBy({ [file]: text })).toEqual([...Object.keys(TREE), file].sort());
  });

  it("follows imports that form a circle", () => {
    const circle = { "model/c.ts": 'import "../src/a.ts";\n' };
    expect(changedBy(circle)).toEqual(["model/c.ts", "src/a.ts", "src/b.ts"]);
  });
});
