import { describe, expect, it } from "vitest";
import { architectureProblems } from "../../../scripts/check/architecture-problems.ts";

const problemsOf = (tree: Record<string, string>): string[] =>
  architectureProblems(new Map(Object.entries(tree))).problems;

// The project itself is checked by `npm run check -- architecture`.
describe("a tree that breaks a rule is reported", () => {
  it.each([
    ["a stage that imports a sibling", "src/policy/a.ts", "../patch/b.ts", "src/policy must not import src/patch"],
    [
      "a stage that imports the main path",
      "src/patch/a.ts",
      "../admission/b.ts",
      "src/patch must not import src/admission",
    ],
    [
      "a source that imports the edge",
      "src/admission/a.ts",
      "../../webhook/b.ts",
      "src/admission must not import webhook",
    ],
    [
      "the model that imports a stage",
      "src/model/a.ts",
      "../external-data/b.ts",
      "src/model must not import src/external-data",
    ],
    ["the edge that imports the command line", "webhook/a.ts", "../src/cli/b.ts", "webhook must not import src/cli"],
    ["a source that imports a test", "src/cli/a.ts", "../../test/b.ts", "src/cli must not import test"],
    [
      "a stage that imports a client's start",
      "src/external-data/a.ts",
      "../toolchain/b.ts",
      "src/external-data must not import src/toolchain",
    ],
    [
      "a simulator that imports local mode",
      "src/local/simulators/a.ts",
      "../b.ts",
      "must not import src/local (src/local/b.ts)",
    ],
  ])("%s", (_name, path, target, expected) => {
    expect(problemsOf({ [path]: `import { b } from "${target}";\n` })).toEqual([expect.stringContaining(expected)]);
  });

  it.each([
    ["a type import", `import type { B } from "../patch/b.ts";`],
    ["a re-export", `export { b } from "../patch/b.ts";`],
    ["a dynamic import", `export const b = () => import("../patch/b.ts");`],
    ["an import type", `export type B = import("../patch/b.ts").B;`],
  ])("%s counts as an import", (_name, text) => {
    expect(problemsOf({ "src/policy/a.ts": text })).toEqual([
      "src/policy/a.ts: src/policy must not import src/patch (src/patch/b.ts)",
    ]);
  });

  it("two folders that import each other", () => {
    const tree = {
      "src/cli/a/x.ts": `import "../b/y.ts";`,
      "src/cli/b/y.ts": "",
      "src/cli/b/z.ts": `import "../a/x.ts";`,
    };
    expect(problemsOf(tree)).toEqual(["import each other: src/cli/a -> src/cli/b -> src/cli/a"]);
  });

  it("a file that a subfolder imports and that imports this subfolder, directly or through other files", () => {
    const types = { "src/cli/types.ts": `import type { A } from "./a/x.ts";`, "src/cli/a/x.ts": "" };
    const direct = { ...types, "src/cli/a/y.ts": `import type { T } from "../types.ts";` };
    expect(problemsOf(direct)).toEqual([
      "src/cli/types.ts: its subfolders import it, and it imports them: src/cli/types.ts -> src/cli/a -> src/cli/types.ts",
    ]);
    const through = {
      ...types,
      "src/cli/a/y.ts": `import "../b/z.ts";`,
      "src/cli/b/z.ts": `import type { T } from "../types.ts";`,
    };
    expect(problemsOf(through)).toEqual([
      expect.stringContaining("types.ts -> src/cli/a -> src/cli/b -> src/cli/types.ts"),
    ]);
  });

  it("the same between pages, which are written as .tsx", () => {
    const between = {
      "web/src/api/queries.ts": `import type { R } from "../pages/object/resources.tsx";`,
      "web/src/pages/object/resources.tsx": `import { q } from "../../api/queries.ts";`,
    };
    expect(problemsOf(between)).toContainEqual(
      "import each other: web/src/api/queries.ts -> web/src/pages/object/resources.tsx -> web/src/api/queries.ts",
    );
    const upwards = {
      "web/src/pages/try/page.tsx": `import { f } from "./form/field.tsx";`,
      "web/src/pages/try/form/field.tsx": "",
      "web/src/pages/try/form/view.tsx": `import { p } from "../page.tsx";`,
    };
    expect(problemsOf(upwards)).toEqual([expect.stringContaining("page.tsx: its subfolders import it")]);
  });

  it("not a file that lies between its subfolders", () => {
    const tree = {
      "src/cli/a/x.ts": "",
      "src/cli/middle.ts": `import "./a/x.ts";`,
      "src/cli/b/y.ts": `import "../middle.ts";`,
    };
    expect(problemsOf(tree)).toEqual([]);
  });

  it("a folder of the product with more than 20 files of its own", () => {
    const files = (folder: string, count: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${folder}/f${String(index)}.ts`, ""]));
    expect(problemsOf({ ...files("src/policy", 20), ...files("src/policy/deeper", 20) })).toEqual([]);
    expect(problemsOf({ ...files("webhook/x", 21), ...files("test/unit", 30) })).toEqual([
      "webhook/x: 21 files, limit 20: split it by what a reader looks for",
    ]);
  });

  it("files that import each other, in any order", () => {
    const tree = {
      "src/cli/a.ts": `import "./b/c.ts";`,
      "src/cli/b/c.ts": `import type { D } from "../d.ts";`,
      "src/cli/d.ts": `import "./a.ts";`,
    };
    expect(problemsOf(tree)).toEqual([
      "import each other: src/cli/a.ts -> src/cli/b/c.ts -> src/cli/d.ts -> src/cli/a.ts",
    ]);
  });

  it.each([
    ["process.env", `export const home = process.env["HOME"];`],
    ["process.exit", "export const stop = () => process.exit(1);"],
    ["new KubeConfig", "export const config = new KubeConfig();"],
    ['import of "node:process"', `import { env } from "node:process"; export const home = env["HOME"];`],
  ])("%s outside an entry file", (edge, text) => {
    expect(problemsOf({ "src/external-data/a.ts": text })).toEqual([
      `src/external-data/a.ts: ${edge} belongs into an entry file`,
    ]);
    expect(problemsOf({ "src/external-data/main.ts": text })).toEqual([]);
  });

  it("a file that is too long", () => {
    expect(problemsOf({ "src/external-data/a.ts": "// line\n".repeat(251) })).toEqual([
      "src/external-data/a.ts: 251 lines, limit 250",
    ]);
  });

  it("a file in a folder without a rule", () => {
    expect(problemsOf({ "src/other/a.ts": "" })).toEqual([
      expect.stringContaining("src/other/a.ts: lies in no folder"),
    ]);
  });
});

describe("what is allowed", () => {
  it("passes", () => {
    const tree = {
      "src/policy/a.ts": `import type { B } from "../model/b.ts"; import { C } from "../errors.ts"; import "./d.ts";`,
      "src/admission/admit.ts": `import "../policy/a.ts"; import "../patch/e.ts";`,
      "webhook/main.ts": `import "../src/admission/admit.ts"; process.exit(0);`,
      "src/cli/view/b.ts": `import "../types.ts";`,
      "src/cli/types.ts": "",
      "src/cli/show.ts": `import "./view/b.ts";`,
      "test/unit/a.test.ts": `import "../../webhook/main.ts";`,
    };
    expect(architectureProblems(new Map(Object.entries(tree)))).toEqual({ problems: [], warnings: [] });
  });

  it("a file over the rule but under the limit is reported", () => {
    const { problems, warnings } = architectureProblems(new Map([["src/external-data/a.ts", "// line\n".repeat(201)]]));
    expect({ problems, warnings }).toEqual({ problems: [], warnings: ["src/external-data/a.ts: 201 lines, rule 200"] });
  });
});
