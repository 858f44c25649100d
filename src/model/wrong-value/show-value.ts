import { isObject } from "../json.ts";
import { keysOf } from "../json.ts";

/** YAML 1.1 reads these as booleans or null. */
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
const PLAIN = /^[A-Za-z0-9][\w./@:-]*$/;
/** Numbers, also with exponents and base 60. */
const NUMBER = /^[\d.:_+-]+$|^\d[\d.]*e[+-]?\d+$/i;

const isPlain = (text: string): boolean =>
  PLAIN.test(text) && !text.endsWith(":") && !WORDS.test(text) && !NUMBER.test(text);

/** A value in YAML's flow notation, as one writes it into a manifest. */
export function flow(value: unknown): string {
  if (typeof value === "string") return isPlain(value) ? value : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (!isObject(value)) return String(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `${flow(key)}: ${flow(one)}`)
    .join(", ")}}`;
}

/** `memory: 4`; for an item of a list only the item. */
export function assignment(pointer: string, value: unknown): string {
  const name = keysOf(pointer).at(-1) ?? "spec";
  return /^\d+$/.test(name) ? flow(value) : `${name}: ${flow(value)}`;
}

const LONGEST = 60;
const clip = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text);

/** A key that someone should not have written here must not reach logs and terminals. */
const SECRET_NAME = "(?:pass|secret|token|credential)";
const SECRET = new RegExp(`PRIVATE KEY|"[^"]*${SECRET_NAME}[^"]*":`, "i");

const isSecret = (pointer: string, value: unknown): boolean =>
  pointer === "/userData" ||
  new RegExp(`${SECRET_NAME}[^/]*$`, "i").test(pointer) ||
  SECRET.test(JSON.stringify(value));

/** What was written, for a message, with a space before it; empty if there is nothing to show. */
export function given(pointer: string, value: unknown): string {
  if (value === undefined || value === null || isSecret(pointer, value)) return "";
  // JSON, so that a text is told from a number.
  if (typeof value === "string") return ` ${JSON.stringify(clip(value))}`;
  return ` ${clip(flow(value))}`;
}

/** The same for the `actual` of a denial, which holds no objects. */
export function shown(pointer: string, value: unknown): string | number | null {
  if (isSecret(pointer, value)) return null;
  if (typeof value === "number") return value;
  if (typeof value === "string") return clip(value);
  return typeof value === "boolean" ? String(value) : null;
}
