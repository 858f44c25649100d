import { describe, expect, it } from "vitest";
import { deadExports } from "../../../scripts/check/dead-exports.ts";

const problems = (files: Record<string, string>): string[] => deadExports(new Map(Object.entries(files)));

describe("the check of exports", () => {
  it("names a value that no other file imports", () => {
    const files = {
      "src/a.ts": "export const one = 1;\nexport const two = one;",
      "src/b.ts": 'import { two } from "./a.ts";\ntwo;',
    };
    expect(problems(files)).toEqual(["src/a.ts: one is imported nowhere: do not export it"]);
  });

  it.each([
    ["a value", "export const { one, two: [three] } = read();", ["one", "three"]],
    ["a function", "export async function read() {}", ["read"]],
    ["a class", "export class Reader {}", ["Reader"]],
    ["a type", "export type Answer = string;\nexport interface Question {}", ["Answer", "Question"]],
  ])("names %s that nothing uses", (_, text, names) => {
    expect(problems({ "webhook/a.ts": text })).toEqual(
      names.map((name) => `webhook/a.ts: ${name} is used nowhere: delete it`),
    );
  });

  it("names what only tests use, unless its own file needs it as well", () => {
    const text = "export const one = 1;\nexport const two = 2;\nconsole.log(two);";
    const test = 'import { one, two } from "../src/a.ts";\none + two;';
    expect(problems({ "src/a.ts": text, "test/a.test.ts": test })).toEqual([
      "src/a.ts: one is used by tests only: delete it",
    ]);
  });

  it("takes a type of an exported function for used", () => {
    const text = "export interface Options {}\nexport function open(options: Options) {}";
    expect(
      problems({ "src/a.ts": text, "src/main.ts": 'import { open as start } from "./a.ts";\nstart({});' }),
    ).toEqual([]);
  });

  it.each([
    ["all names", 'import * as all from "../src/a.ts";\nall;'],
    ["a name that is exported again", 'export { one } from "../src/a.ts";'],
    ["a module that is loaded later", 'const { one } = await import("../src/a.ts");'],
    ["a module that is named in a type", 'type One = typeof import("../src/a.ts").one;'],
  ])("follows %s", (_, text) => {
    expect(problems({ "src/a.ts": "export const one = 1;", "scripts/b.ts": text })).toEqual([]);
  });

  it("leaves exports of scripts and tests alone", () => {
    expect(problems({ "scripts/a.ts": "export const one = 1;", "test/b.ts": "export const two = 2;" })).toEqual([]);
  });
});
