import { canonicalJson, isObject } from "../../model/json.ts";

/** Indexes of entries without an equal one in the other list; each entry there counts once. */
export function withoutCounterpart(entries: readonly unknown[], others: readonly unknown[]): number[] {
  const left = others.map(canonicalJson);
  return entries.flatMap((entry, index) => {
    const found = left.indexOf(canonicalJson(entry));
    if (found < 0) return [index];
    left.splice(found, 1);
    return [];
  });
}

/** Whether both lists have the same entries in any order. */
export const sameEntries = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && withoutCounterpart(one, other).length === 0;

type Test = (one: unknown, other: unknown) => boolean;

const isEqual: Test = (one, other) => canonicalJson(one) === canonicalJson(other);
const hasSameName: Test = (one, other) =>
  isObject(one) && isObject(other) && typeof one["name"] === "string" && one["name"] === other["name"];
const isNext: Test = () => true;

interface Alignment {
  /** Each entry of the first list with its counterpart, or undefined. */
  pairs: [unknown, unknown][];
  /** Entries of the second list without a counterpart. */
  extra: unknown[];
}

/** Pairs the entries of two lists: equal ones first, then those of the same name, then the others in their order. */
export function aligned(before: readonly unknown[], after: readonly unknown[]): Alignment {
  const left = [...after];
  const found = new Map<number, unknown>();
  for (const matches of [isEqual, hasSameName, isNext])
    for (const [index, entry] of before.entries()) {
      const at = found.has(index) ? -1 : left.findIndex((other) => matches(entry, other));
      if (at >= 0) found.set(index, left.splice(at, 1)[0]);
    }
  return { pairs: before.map((entry, index) => [entry, found.get(index)]), extra: left };
}
