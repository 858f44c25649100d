import { isObject } from "../../../../../src/model/json.ts";
import type { SchemaNode } from "../document/schema.ts";
import { choicesOf, typeOf } from "../document/schema.ts";

/** How a field is written in the form. `text`: only in the YAML. */
export type Control = "number" | "text" | "long" | "choice" | "lines" | "pairs" | "group" | "groups" | "yaml";

const BY_TYPE: Readonly<Record<string, Control>> = { integer: "number", number: "number", string: "text" };

/** Longest text that one line of the form takes. */
const ONE_LINE = 1000;

function ofList({ items = {} }: SchemaNode): Control {
  if (typeOf(items) === "object") return "groups";
  return typeOf(items) === "array" ? "yaml" : "lines";
}

function ofMap({ properties, additionalProperties }: SchemaNode): Control {
  if (properties !== undefined) return "group";
  return typeof additionalProperties === "object" && typeOf(additionalProperties) === "string" ? "pairs" : "yaml";
}

export function controlOf(node: SchemaNode): Control {
  if (choicesOf(node).length > 0) return "choice";
  const type = typeOf(node);
  if (type === "array") return ofList(node);
  if (type === "object") return ofMap(node);
  if (type === "string" && (node.maxLength ?? 0) > ONE_LINE) return "long";
  return BY_TYPE[type] ?? "yaml";
}

const plain = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value ?? ""));

/** A value as the text of its control. What does not fit the field is shown as it is, so that it can be corrected. */
export function shownValue(node: SchemaNode, value: unknown): string {
  if (value === undefined || value === null) return "";
  const control = controlOf(node);
  if (control === "lines" && Array.isArray(value)) return value.map(plain).join("\n");
  if (control === "pairs" && isObject(value))
    return Object.entries(value)
      .map(([name, one]) => `${name}=${plain(one)}`)
      .join("\n");
  return plain(value);
}

const WHOLE = /^-?\d{1,15}$/;

const scalar = (node: SchemaNode, text: string): unknown =>
  typeOf(node) === "integer" && WHOLE.test(text) ? Number(text) : text;

function lines({ items = {} }: SchemaNode, text: string): unknown[] | undefined {
  const given = text.split("\n").filter((line) => line.trim() !== "");
  return given.length === 0 ? undefined : given.map((line) => scalar(items, line));
}

function pairs(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf("=");
      return at < 0 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 1)];
    }),
  );
}

/** The value that a text of the form means; undefined for none. */
export function typedValue(node: SchemaNode, text: string): unknown {
  if (text === "") return undefined;
  const control = controlOf(node);
  if (control === "number") return WHOLE.test(text) ? Number(text) : text;
  if (control === "lines") return lines(node, text);
  if (control === "pairs") return pairs(text);
  if (control === "choice" && typeOf(node) === "boolean") return text === "true";
  return text;
}
