import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ERRORS } from "../../../src/errors.ts";
import { NOTE_CODES } from "../../../src/model/text/note-codes.ts";

/** Codes in the source files, where a decision or a warning is written. */
function codesIn(pattern: string, code: RegExp): string[] {
  const files = globSync(pattern).filter((file) => !file.includes("_test."));
  return files.flatMap((file) => [...readFileSync(file, "utf8").matchAll(code)].map(([, found = ""]) => found));
}

describe("the codes of notes", () => {
  it("are those of the source, and none else is without a page", () => {
    const written = [
      ...codesIn("src/**/*.ts", /(?:\bcode: |\bnote\()"([A-Z]{2,}_[A-Z_]+)"/g),
      ...codesIn("policies/bundle/**/*.rego", /"code": "([A-Z]{2,}_[A-Z_]+)"/g),
    ];
    const known = [...Object.keys(ERRORS), ...Object.keys(NOTE_CODES)];
    expect(written.filter((code) => !known.includes(code))).toEqual([]);
    expect(Object.keys(NOTE_CODES).filter((code) => !written.includes(code))).toEqual([]);
  });

  it("are on the page of errors", () => {
    const page = readFileSync("docs/reference/errors.md", "utf8");
    expect(Object.keys(NOTE_CODES).filter((code) => !page.includes(`| \`${code}\` |`))).toEqual([]);
  });
});
