import { isObject, textOf } from "../../json.ts";

/** A key that someone should not have written here must not reach logs and terminals. */
const NAME = /pass|secret|token|credential|api_?key|private_?key/i;
const PRIVATE_KEY = /PRIVATE KEY/;
/** `NAME=value` of a list of variables. */
const VARIABLE = /^([^=]{1,200})=([\s\S]+)$/;
/** `postgres://user:password@host`. */
const IN_URL = /:\/\/[^/\s:@]{0,100}:([^@\s/]{1,200})@/;

function inText(text: string): string[] {
  if (PRIVATE_KEY.test(text)) return [text];
  const [, name = "", value = ""] = VARIABLE.exec(text) ?? [];
  const found = IN_URL.exec(text)?.[1];
  return [...(NAME.test(name) ? [value] : []), ...(found === undefined ? [] : [found])];
}

const leavesOf = (value: unknown): string[] =>
  isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(leavesOf) : [textOf(value)];

/** `{name: POSTGRES_PASSWORD, value: x}` of a container, `{Key: token, Value: x}` of a tag. */
const isNamed = (map: Record<string, unknown>): boolean =>
  Object.entries(map).some(([key, one]) => /^(?:name|key)$/i.test(key) && typeof one === "string" && NAME.test(one));

/** The texts within a value that may be secrets: those of fields and variables that are named like one, and keys. */
function secretsIn(value: unknown): string[] {
  if (typeof value === "string") return inText(value);
  if (Array.isArray(value)) return value.flatMap(secretsIn);
  if (!isObject(value)) return [];
  const hasName = isNamed(value);
  return Object.entries(value).flatMap(([key, one]) => {
    const isSecret = NAME.test(key) || (hasName && /^value/i.test(key));
    return isSecret ? leavesOf(one) : secretsIn(one);
  });
}

/** The texts of a field that may be secrets. */
const secretsOf = (pointer: string, value: unknown): string[] =>
  (NAME.test(pointer.split("/").at(-1) ?? "") ? leavesOf(value) : secretsIn(value)).filter((text) => text !== "");

/** Whether the value of this field must not reach logs and terminals. */
export const isSecret = (pointer: string, value: unknown): boolean =>
  pointer === "/userData" || secretsOf(pointer, value).length > 0;

/** Shorter texts are parts of other words. */
const SHORT = 6;
const LETTER = "[\\p{L}\\d_]";

/** A text without another one; of a short one, only whole words are hidden. */
function without(text: string, secret: string): string {
  if (secret.length >= SHORT) return text.replaceAll(secret, "…");
  const exact = secret.replaceAll(/[^\p{L}\d_]/gu, "\\$&");
  return text.replaceAll(new RegExp(`(?<!${LETTER})${exact}(?!${LETTER})`, "gu"), "…");
}

/** A text about a field without what may be a secret in its value. */
export const hideSecrets = (text: string, pointer: string, value: unknown): string =>
  secretsOf(pointer, value).reduce(without, text);
