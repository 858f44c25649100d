export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** JSON with the keys of every object sorted: equal values give equal bytes. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return value === undefined ? "null" : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  let fields = "";
  for (const key of Object.keys(value).sort()) {
    const field = (value as Record<string, unknown>)[key];
    if (field !== undefined) fields += `${fields === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(field)}`;
  }
  return `{${fields}}`;
}

/**
 * A value as text: a text as it is, a list or map as JSON. String() throws for an object that has a field `toString`, which anything that is
 * read from outside can have. The linter refuses it for values of unknown type.
 */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "object" && value !== null) return JSON.stringify(value);
  return `${value as number | boolean | bigint | null | undefined}`;
}

/** A text as it is; empty for any other value. */
export const stringOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The texts of a list; none for any other value. */
export const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

/** A key as a part of a JSON pointer (RFC 6901). */
export const pointerKey = (key: string): string =>
  /[~/]/.test(key) ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key;

/** The JSON pointer to what these keys lead to. */
export const pointerTo = (keys: readonly string[]): string => keys.map((key) => `/${pointerKey(key)}`).join("");

/** The keys of a JSON pointer. */
export const keysOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));

/** The value that a map itself has under a word of someone else: `constructor` and `toString` are fields of every JavaScript object. */
export const ownValue = <Value>(map: Readonly<Record<string, Value>> | undefined, key: string): Value | undefined =>
  map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
