import { expect, it } from "vitest";
import { keepClose } from "../../../scripts/generate/keep-close.ts";

const before = [
  [1.1538, -0.095415],
  [0.30436, 0.0019366],
];

it("keeps numbers whose last digits differ", () => {
  const learned = before.map((row) => row.map((value) => value + 1e-5));
  expect(keepClose(before, learned)).toBe(before);
});

it.each([
  ["a number differs by more", [before[0] ?? [], [0.30436, 0.0029366]]],
  ["a row is missing", [before[0] ?? []]],
  ["a column is missing", before.map(([first = 0]) => [first])],
  ["a number is none", [before[0] ?? [], [Number.NaN, 0.0019366]]],
])("takes what was learned if %s", (_, learned) => {
  expect(keepClose(before, learned)).toBe(learned);
});

it("takes what was learned if there was nothing", () => {
  expect(keepClose(null, before)).toBe(before);
});
