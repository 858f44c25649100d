import { describe } from "../../errors.ts";
import { canonicalJson, isObject } from "../../model/json.ts";
import { aligned, sameEntries, withoutCounterpart } from "./lists.ts";
import type { Note } from "../types.ts";

/** Reasons for losses by path; the first match applies. Each is a sentence that ends a note. */
export type Reasons = readonly (readonly [RegExp, string])[];

/** A value that differs on both sides; undefined where a side does not have it. */
interface Difference {
  path: string;
  before: unknown;
  after: unknown;
}

const shown = (value: unknown): string => {
  if (value === undefined || value === null) return "absent";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
};

/** A note with the registry's text. `became` is omitted if the value is lost entirely. */
export function note(path: string, value: unknown, reason: string, became?: unknown): Note {
  const code = became === undefined ? "KOPS_NOT_MAPPED" : "KOPS_CHANGED";
  const params = { path, value: shown(value), became: shown(became), reason };
  return { code, path, value: value ?? null, ...describe(code, params) };
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;
const isScalarList = (value: unknown): value is unknown[] =>
  Array.isArray(value) && value.every((entry) => !isObject(entry) && !Array.isArray(entry));

/** `a.b`, or `a[b/c]` for a key with a dot or a slash. */
function childPath(path: string, key: string): string {
  if (/[./]/.test(key)) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

const itemPath = (path: string, index: number): string => `${path}[${String(index)}]`;

/** The leaves of a value that only one side has; an empty list or object is a leaf. */
function leaves(value: unknown, path: string): [string, unknown][] {
  const inner: [string, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [itemPath(path, index), item])
    : isObject(value)
      ? Object.entries(value).map(([key, item]) => [childPath(path, key), item])
      : [];
  return inner.length === 0 ? [[path, value]] : inner.flatMap(([at, item]) => leaves(item, at));
}

const onlyBefore = (value: unknown, path: string): Difference[] =>
  leaves(value, path).flatMap(([at, before]) => (isAbsent(before) ? [] : [{ path: at, before, after: undefined }]));
const onlyAfter = (value: unknown, path: string): Difference[] =>
  leaves(value, path).flatMap(([at, after]) => (isAbsent(after) ? [] : [{ path: at, before: undefined, after }]));

/** Lists of values have no order: entries that are lost are named one by one, other changes as a whole. */
function betweenValues(before: readonly unknown[], after: readonly unknown[], path: string): Difference[] {
  if (sameEntries(before, after)) return [];
  if (withoutCounterpart(after, before).length > 0) return [{ path, before, after }];
  return withoutCounterpart(before, after).map((index) => ({
    path: itemPath(path, index),
    before: before[index],
    after: undefined,
  }));
}

function betweenLists(before: readonly unknown[], after: readonly unknown[], path: string): Difference[] {
  const { pairs, extra } = aligned(before, after);
  const known = pairs.flatMap(([one, other], index) => between(one, other, itemPath(path, index)));
  return [...known, ...extra.flatMap((entry, index) => onlyAfter(entry, itemPath(path, before.length + index)))];
}

type Fields = Record<string, unknown>;

function betweenObjects(before: Fields, after: Fields, path: string): Difference[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => between(before[key], after[key], childPath(path, key)));
}

function between(before: unknown, after: unknown, path: string): Difference[] {
  if (isAbsent(before)) return onlyAfter(after, path);
  if (isAbsent(after)) return onlyBefore(before, path);
  if (isObject(before) && isObject(after)) return betweenObjects(before, after, path);
  if (isScalarList(before) && isScalarList(after)) return betweenValues(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) return betweenLists(before, after, path);
  return canonicalJson(before) === canonicalJson(after) ? [] : [{ path, before, after }];
}

/** How one side is compared with its round trip through the other format. */
export interface Comparison {
  /** Written before each path. */
  at: string;
  reasons: Reasons;
  /** Whether values that only the round trip has are reported: they are not if it writes defaults of the same meaning. */
  additions: boolean;
}

/** The values in `before` that its round trip `after` lacks or changes. This guarantees that no loss goes unreported. */
export function losses(before: unknown, after: unknown, { at, reasons, additions }: Comparison): Note[] {
  return between(before, after, "")
    .filter((difference) => additions || difference.before !== undefined)
    .map(({ path, before: value, after: became }) => {
      const reason = reasons.find(([pattern]) => pattern.test(path))?.[1] ?? "no such field on the other side";
      return note(`${at}${path}`, value, reason, became);
    });
}
