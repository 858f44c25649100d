// 453: builtins that run in JavaScript took memory and time of the process that all modules share, beyond the limits of a module.
import { describe, expect, it } from "vitest";
import { boundedBuiltins } from "../../../../../src/policy/module/bounded-builtins.ts";

const call = (name: string, ...args: unknown[]): unknown => boundedBuiltins().get(name)?.(...args);

describe("453: a builtin of JavaScript", () => {
  it.each<[string, string, unknown[], string]>([
    ["an expression that goes back and forth", "regex.split", ["(a+)+$", `${"a".repeat(40)}b`], "more than 500 ms"],
    ["a text of many pieces", "regex.split", ["", "a".repeat(70_000)], "more than 65536 characters"],
    ["pieces with many groups", "regex.split", ["(".repeat(17) + "a" + ")".repeat(17), "a"], "more than 16 groups"],
    ["pieces that are longer together", "regex.split", [`(${"(?=(a*))".repeat(8)})`, "a".repeat(2000)], "65536 char"],
    ["a long expression", "regex.split", ["a".repeat(1025), "a"], "more than 1024 characters"],
    ["a large document", "yaml.unmarshal", ["- a\n".repeat(20_000)], "more than 65536 characters"],
    [
      "a document that repeats a value",
      "yaml.unmarshal",
      [`a: &a ${"x".repeat(9000)}\nb: [${"*a,".repeat(90)}]`],
      "more than",
    ],
    ["a document to judge", "yaml.is_valid", ["x".repeat(70_000)], "more than 65536 characters"],
    ["a value to write", "yaml.marshal", [Array.from({ length: 40_000 }, () => 1)], "more than 65536 characters"],
  ])("refuses %s", (_, name, args, message) => {
    expect(() => call(name, ...args)).toThrow(RangeError);
    expect(() => call(name, ...args)).toThrow(message);
  });

  it.each<[string, unknown[], unknown]>([
    ["regex.split", ["[,;] *", "a, b;c"], ["a", "b", "c"]],
    ["regex.split", ["(,)", "a,b"], ["a", ",", "b"]],
    ["yaml.unmarshal", ["a: [1, x]\nb: &b 2\nc: *b"], { a: [1, "x"], b: 2, c: 2 }],
    ["yaml.is_valid", ["a: ["], false],
    ["yaml.marshal", [{ a: 1 }], "a: 1\n"],
    ["json.is_valid", ["{}"], true],
  ])("answers as before: %s of %j", (name, args, expected) => {
    expect(call(name, ...args)).toEqual(expected);
  });
});
