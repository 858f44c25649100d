import { describe, expect, it } from "vitest";
import { chooseFiles } from "../../../scripts/lint/choose-files.ts";

const SOURCES = ["src/a.ts", "src/b.ts"];
const isClean = (file: string): boolean => file === "src/a.ts";

describe("the files of a lint", () => {
  it.each([
    ["all that are not known to be clean", [], { todo: ["src/b.ts"], unknown: [] }],
    ["the named ones", ["src/b.ts"], { todo: ["src/b.ts"], unknown: [] }],
    ["none if the named ones are clean", ["src/a.ts"], { todo: [], unknown: [] }],
    ["without a named one that does not exist, which is reported", ["src/c.ts"], { todo: [], unknown: ["src/c.ts"] }],
  ])("are %s", (_name, named, expected) => {
    expect(chooseFiles(SOURCES, named, isClean)).toEqual(expected);
  });
});
