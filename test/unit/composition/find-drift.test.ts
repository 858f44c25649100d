import { expect, it } from "vitest";
import { afterUpgrade, isTriedLately } from "../../../src/composition/release/drift-history.ts";
import { findDrift } from "../../../src/composition/release/find-drift.ts";
import type { Resource } from "../../../src/composition/types.ts";

const object = (spec: Record<string, unknown>): Resource => ({ apiVersion: "a/v1", kind: "A", metadata: {}, spec });

it.each<[string, Record<string, unknown>, Record<string, unknown>, string | null]>([
  ["the same", { a: 1, b: { c: ["x"] } }, { a: 1, b: { c: ["x"] } }, null],
  ["another value", { a: 1 }, { a: 2 }, "spec.a"],
  ["a value deep inside", { a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 2 }] } }, "spec.a.b[0].c"],
  ["a field that is gone", { a: 1 }, {}, "spec.a"],
  ["a field that the operator filled", { a: 1 }, { a: 1, late: "x" }, null],
  ["a list that grew", { a: ["x"] }, { a: ["x", "y"] }, "spec.a"],
  ["empty and absent are the same", { a: {}, b: null, c: [] }, {}, null],
  ["a number is no string", { a: 1 }, { a: "1" }, "spec.a"],
])("%s", (_, manifest, live, expected) => {
  expect(findDrift(object(manifest), object(live))).toBe(expected);
});

it("waits longer before each correction of recurring drift", () => {
  const once = afterUpgrade(new Map(), "x", 100);
  expect(isTriedLately(once, "x", 129)).toBe(true);
  expect(isTriedLately(once, "x", 130)).toBe(false);
  expect(isTriedLately(once, "y", 101)).toBe(false);
  const twice = afterUpgrade(once, "x", 130);
  expect(isTriedLately(twice, "x", 249)).toBe(true);
  expect(isTriedLately(twice, "x", 250)).toBe(false);
});

it("forgets drift that did not recur", () => {
  const once = afterUpgrade(new Map(), "x", 100);
  expect([...afterUpgrade(once, null, 161).keys()]).toEqual([]);
});
