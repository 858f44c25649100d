import type { ErrorObject } from "ajv";
import { isObject, keysOf, pointerKey } from "../json.ts";
import { explainErrors } from "./explain-errors.ts";
import { given } from "./explain-value.ts";
import { childOf, dotted, type SchemaNode, typeOf, valueAt } from "./schema-node.ts";

type Fields = Record<string, unknown>;

/** The schema of a file, which may use `$ref` to its definitions and `if` with a constant field. */
interface FileSchema extends Fields {
  definitions?: Fields;
}

const KINDS: Readonly<Record<string, string>> = {
  integer: "a whole number",
  number: "a number",
  string: "a text",
  boolean: "true or false",
  array: "a list",
  object: "a map",
};

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

function range({ minimum, maximum }: SchemaNode): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${String(minimum)} to ${String(maximum)}`;
  if (minimum !== undefined) return ` of at least ${String(minimum)}`;
  return maximum === undefined ? "" : ` of at most ${String(maximum)}`;
}

/** The first sentence, as part of another one. */
const sentence = (text: string): string =>
  (text.split(/\.(?: |$)/)[0] ?? "").replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());

/** A title for messages, from the type and the description's first sentence. */
function titled(node: Fields): Fields {
  if (node["title"] !== undefined) return node;
  const about = typeof node["description"] === "string" ? sentence(node["description"]) : "";
  const kind = `${KINDS[typeOf(node) ?? ""] ?? "a value"}${range(node)}`;
  return { ...node, title: about === "" ? kind : `${kind} (${about})` };
}

const merged = (one: Fields, other: Fields): Fields => ({
  ...{ ...one, ...other },
  properties: { ...fieldsOf(one["properties"]), ...fieldsOf(other["properties"]) },
});

/** Whether a value has the constant fields of an `if`. */
const holds = (condition: unknown, value: unknown): boolean =>
  Object.entries(fieldsOf(fieldsOf(condition)["properties"])).every(
    ([name, one]) => fieldsOf(value)[name] === fieldsOf(one)["const"],
  );

/** A part without `$ref`, and with what its `allOf` says of this value. */
function plain(root: FileSchema, node: unknown, value: unknown): Fields {
  const { $ref: reference, ...own } = fieldsOf(node);
  const name = typeof reference === "string" ? (reference.split("/").at(-1) ?? "") : "";
  const all = name === "" ? own : { ...plain(root, root.definitions?.[name], value), ...own };
  const parts = Array.isArray(all["allOf"]) ? all["allOf"].map(fieldsOf) : [];
  const met = parts.filter((part) => holds(part["if"], value)).map((part) => fieldsOf(part["then"]));
  return titled(met.reduce(merged, all));
}

/** The schema in which every part along the pointer is plain. */
function along(root: FileSchema, node: unknown, value: unknown, [key, ...keys]: readonly string[]): SchemaNode {
  const here = plain(root, node, value);
  const entries = Object.entries(fieldsOf(here["properties"])).map(
    ([name, one]) => [name, plain(root, one, undefined)] as const,
  );
  const own: SchemaNode =
    here["properties"] === undefined ? here : { ...here, properties: Object.fromEntries<SchemaNode>(entries) };
  if (key === undefined) return isObject(own.items) ? { ...own, items: plain(root, own.items, undefined) } : own;
  const child = along(root, childOf(own, key), valueAt(value, `/${pointerKey(key)}`), keys);
  if (Array.isArray(value)) return { ...own, items: child };
  return own.properties !== undefined && Object.hasOwn(own.properties, key)
    ? { ...own, properties: { ...own.properties, [key]: child } }
    : { ...own, additionalProperties: child };
}

/** One error of a file in words: the field with its value, what is wrong, and what to write instead. */
function inWords(schema: FileSchema, value: unknown, error: ErrorObject): string {
  const [found] = explainErrors(along(schema, schema, value, keysOf(error.instancePath)), value, [error]);
  if (found === undefined) return error.message ?? "is wrong";
  const field = dotted(found.pointer).slice(1);
  return `${field === "" ? "it" : field}${given(found.pointer, found.value)} ${found.detail}; ${found.correction}`;
}

/** All errors of a value that a user wrote, in words and each once. */
export const problemsInWords = (
  schema: FileSchema,
  value: unknown,
  errors: readonly ErrorObject[] | null | undefined,
): string[] => [
  ...new Set(
    (errors ?? [])
      .filter(({ keyword }) => keyword !== "propertyNames" && keyword !== "if")
      .map((error) => inWords(schema, value, error)),
  ),
];

/** The first of them: `http.retries "two" is not a whole number; write a whole number from 0 to 10`. */
export const firstProblem = (...args: Parameters<typeof problemsInWords>): string =>
  problemsInWords(...args)[0] ?? "it is not as its schema says";
