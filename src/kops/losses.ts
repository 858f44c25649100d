import { describe } from "../errors.ts";
import { isObject } from "../model/json.ts";
import type { Note } from "./types.ts";

/** Reasons for losses by path; the first match applies. Each is a sentence that ends a note. */
export type Reasons = readonly (readonly [RegExp, string])[];

type Leaf = readonly [path: string, value: unknown];

/** Every leaf of an object with its path; an empty list or object is a leaf. */
function leaves(value: unknown, path: string): Leaf[] {
  const inner: Leaf[] = Array.isArray(value)
    ? value.map((item, index): Leaf => [`${path}[${String(index)}]`, item])
    : isObject(value)
      ? Object.entries(value).map(([key, item]): Leaf => [
          /[./]/.test(key) ? `${path}[${key}]` : `${path}.${key}`,
          item,
        ])
      : [];
  return inner.length === 0 ? [[path, value]] : inner.flatMap(([at, item]) => leaves(item, at));
}

const leafMap = (value: unknown): Map<string, unknown> =>
  new Map(leaves(value, "").map(([path, leaf]) => [path.replace(/^\./, ""), leaf]));

const shown = (value: unknown): string => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
};

const sameValue = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** A note with the registry's text. `became` is omitted if the value is lost entirely. */
export function note(path: string, value: unknown, reason: string, became?: unknown): Note {
  const code = became === undefined ? "KOPS_NOT_MAPPED" : "KOPS_CHANGED";
  const params = { path, value: shown(value), became: shown(became ?? ""), reason };
  return { code, path, value, ...describe(code, params) };
}

/**
 * The values in `before` that are missing from `after`, its round trip through the other format. This guarantees that
 * no loss goes unreported. Fields that only `after` has are not losses.
 */
export function losses(before: unknown, after: unknown, at: string, reasons: Reasons): Note[] {
  const kept = leafMap(after);
  return [...leafMap(before)].flatMap(([path, value]) => {
    const became = kept.get(path);
    if (value === null || value === undefined || (kept.has(path) && sameValue(value, became))) return [];
    const reason = reasons.find(([pattern]) => pattern.test(path))?.[1] ?? "no such field on the other side";
    return [note(`${at}${path}`, value, reason, became)];
  });
}
