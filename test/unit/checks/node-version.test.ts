import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const ENGINES = (JSON.parse(readFileSync("package.json", "utf8")) as { engines: { node: string } }).engines.node;

it.each(["README.md", "CONTRIBUTING.md", "docs/quickstart.md"])(
  "%s names the Node that package.json asks for",
  (file) => {
    const [, named] = /You need Node (\d+)\s+or\s+newer/.exec(readFileSync(file, "utf8")) ?? [];
    expect(`>=${String(named)}`).toBe(ENGINES);
  },
);

it("the pages about the npm package name the Node that it asks for", () => {
  const assembled = readFileSync("scripts/npm-package/assemble-package.ts", "utf8");
  const [, engines] = /engines: \{ node: ">=(\d+)" \}/.exec(assembled) ?? [];
  const [, checked] = /split\("\."\)\[0\]\) < (\d+)\)/.exec(assembled) ?? [];
  const [, told] =
    /\.tgz`, with\s+Node (\d+) or newer/.exec(readFileSync("docs/operations/workflows.md", "utf8")) ?? [];
  expect([checked, told]).toEqual([engines, engines]);
});
