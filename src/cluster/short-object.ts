// The parts that are kept of objects whose users can make them as large as the API server stores them.
import { isObject } from "../model/json.ts";
import type { Resource } from "../model/kubernetes.ts";

/** Most characters of JSON of a field that is kept, and of all labels, annotations or fields of status. */
const [FIELD, FIELDS] = [8192, 16_384];
/** More than the schemas of the kinds allow, without `global`, which is open. Signatures cover the whole spec, so a normal one is kept. */
const SPEC = 262_144;

const isOwn = (key: string): boolean => /^(?:[^/]*\.)?(?:landfall\.dev|krateo\.io)\//.test(key);

/** Bytes that a value takes in memory besides its characters. Of JSON, three characters can take sixty bytes. */
const VALUE = 32;

/** Of a map with more entries, Landfall's own and the first ones are looked at. */
const ENTRIES = 1024;

/** Characters of JSON; infinite for what is nested too deeply to be written. */
export function lengthOf(value: unknown): number {
  try {
    return JSON.stringify(value).length;
  } catch (thrown) {
    if (thrown instanceof RangeError) return Infinity;
    throw thrown;
  }
}

/** About the bytes that a parsed value takes in memory, however deeply it is nested; infinite if they are more than `most`. */
export function weightOf(value: unknown, most = Infinity): number {
  const open = [value];
  let weight = 0;
  while (open.length > 0) {
    const one = open.pop();
    weight += VALUE + (typeof one === "string" ? one.length : 0);
    if (weight + open.length * VALUE > most) return Infinity;
    if (Array.isArray(one)) for (const inner of one.slice(0, Math.ceil(most / VALUE) + 1)) open.push(inner);
    else if (isObject(one)) {
      for (const key of Object.keys(one)) weight += key.length;
      for (const inner of Object.values(one)) open.push(inner);
    }
  }
  return weight;
}

const sizeOf = (value: unknown): number => (typeof value === "string" ? lengthOf(value) : weightOf(value, FIELD));

/** Landfall's own keys and the first ones. No entry of the others is made: a map can have 150,000 of them. */
function keysOf(fields: Readonly<Record<string, unknown>>): string[] {
  const all = Object.keys(fields);
  if (all.length <= ENTRIES) return all;
  const own = all.slice(ENTRIES).filter((key) => key.includes("/") && isOwn(key));
  return [...own.slice(0, ENTRIES), ...all.slice(0, ENTRIES)];
}

/** The entries that fit into so many characters: first Landfall's and Krateo's own, then the short ones. */
export function shortFields<T>(fields: Readonly<Record<string, T>> | undefined, most = FIELDS): Record<string, T> {
  const given = fields ?? {};
  const entries = keysOf(given).flatMap((key) => {
    const value = given[key];
    return value === undefined ? [] : [{ key, value, length: key.length + sizeOf(value) }];
  });
  const short = entries.filter(({ length }) => length <= FIELD);
  short.sort((a, b) => Number(isOwn(b.key)) - Number(isOwn(a.key)) || a.length - b.length);
  let left = most;
  return Object.fromEntries(short.filter(({ length }) => (left -= length) >= 0).map(({ key, value }) => [key, value]));
}

/** The fields of spec but `global`; only those that fit in, if they are larger than any that the schemas allow. */
export function shortSpec({ spec }: Pick<Resource, "spec">): Record<string, unknown> {
  const { global: _, ...signed } = spec ?? {};
  return lengthOf(signed) <= SPEC ? signed : shortFields(signed);
}

/** Without the field managers, which nothing reads: they take half of a small object. */
export function withoutManagers(metadata: Resource["metadata"]): Resource["metadata"] {
  const { managedFields: _, ...kept } = metadata as Resource["metadata"] & { managedFields?: unknown };
  return kept;
}

const NAMES = [
  "name",
  "namespace",
  "uid",
  "generation",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
] as const satisfies readonly (keyof Resource["metadata"])[];

/** The names of an object, its versions and times alone: what users cannot make long. */
export const shortNames = (metadata: Resource["metadata"]): Resource["metadata"] =>
  Object.fromEntries(NAMES.flatMap((key) => (metadata[key] === undefined ? [] : [[key, metadata[key]]])));

/** This finalizer, if the object has it: users add any number of others. */
export const ownFinalizers = ({ finalizers = [] }: Resource["metadata"], own: string): string[] =>
  finalizers.filter((one) => one === own).slice(0, 1);

/** The first characters of a text, as a text of its own: a slice would keep the whole one in memory. */
export const beginOf = (text: string, most: number): string =>
  text.length <= most ? text : Buffer.from(text.slice(0, most)).toString();
