import { isObject } from "./json.ts";

/**
 * `actual` reduced to the fields in `expected`; in lists of the same length, each item likewise. Equal to `expected`
 * exactly if the expectation is met. Pure.
 */
export function partOf(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return actual;
    return expected.map((item: unknown, index) => partOf(actual[index], item));
  }
  if (!isObject(expected) || !isObject(actual)) return actual;
  const shared = Object.keys(expected).filter((key) => key in actual);
  return Object.fromEntries(shared.map((key) => [key, partOf(actual[key], expected[key])]));
}
