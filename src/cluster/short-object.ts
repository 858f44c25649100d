// The parts that are kept of objects whose users can make them as large as the API server stores them.
import type { Resource } from "../model/kubernetes.ts";

/** Most characters of JSON of a field that is kept, and of all labels, annotations or fields of status. */
const [FIELD, FIELDS] = [8192, 16_384];
/** More than the schemas of the kinds allow, without `global`, which is open. Signatures cover the whole spec, so a normal one is kept. */
const SPEC = 262_144;

const isOwn = (key: string): boolean => /^(?:[^/]*\.)?(?:landfall\.dev|krateo\.io)\//.test(key);

/** Characters of JSON. */
export const lengthOf = (value: unknown): number => JSON.stringify(value).length;

/** The entries that fit into so many characters: first Landfall's and Krateo's own, then the short ones. */
export function shortFields<T>(fields: Readonly<Record<string, T>> | undefined, most = FIELDS): Record<string, T> {
  const entries = Object.entries(fields ?? {}).map(([key, value]) => ({
    key,
    value,
    length: key.length + lengthOf(value),
  }));
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
