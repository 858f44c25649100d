// 459: a list in the place of a pattern passed the limits of patterns, as JavaScript makes a text of it.
import { expect, it } from "vitest";
import { boundedBuiltins } from "../../../../../src/policy/module/bounded-builtins.ts";

const call = (name: string, ...args: unknown[]): unknown => boundedBuiltins().get(name)?.(...args);

it.each<[string, unknown[]]>([
  ["regex.split", [[`${"(".repeat(17)}a${")".repeat(17)}`], "a"]],
  ["regex.split", [[["a".repeat(1025)]], "a"]],
  ["regex.split", [1, "212"]],
  ["regex.split", [",", ["a,b"]]],
  ["yaml.unmarshal", [["a: 1"]]],
])("459: %s of %j has no value", (name, args) => {
  expect(call(name, ...args)).toBeUndefined();
});
