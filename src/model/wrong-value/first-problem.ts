import type { ErrorObject } from "ajv";
import { isObject, keysOf, pointerKey } from "../json.ts";
import { explainErrors, worthTelling } from "./explain-errors.ts";
import { type Found, given } from "./explain-value.ts";
import { childOf, dotted, nodeAt, type SchemaNode, typeOf, valueAt } from "./schema-node.ts";
import { table } from "../table.ts";

type Fields = Record<string, unknown>;

/** The schema of a file, which may use `$ref` to its definitions, `anyOf`, `const`, and `if` with a constant field. */
type FileSchema = Fields;

const KINDS: Readonly<Record<string, string>> = table({
  integer: "a whole number",
  number: "a number",
  string: "a text",
  boolean: "true or false",
  array: "a list",
  object: "a map",
});

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

function range({ minimum, maximum, exclusiveMinimum: above }: SchemaNode): string {
  if (above !== undefined) return ` above ${String(above)}${maximum === undefined ? "" : `, up to ${String(maximum)}`}`;
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
  const type = KINDS[typeOf(node) ?? ""];
  // The description of what may have several types says which.
  if (type === undefined) return about === "" ? node : { ...node, title: about };
  const kind = `${type}${range(node)}`;
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

/** The parts of a schema that are schemas of the same value. */
const listOf = (node: Fields, keyword: string): Fields[] => {
  const all = node[keyword];
  return Array.isArray(all) ? all.map(fieldsOf) : [];
};

/** Of `anyOf` and `oneOf`, the schema that a value is meant for: the first of its type. */
function meantOf(root: FileSchema, node: Fields, value: unknown): Fields {
  const all = [...listOf(node, "anyOf"), ...listOf(node, "oneOf")].map((one) => plain(root, one, value));
  return all.find((one) => typeOf(one) === nameOfType(value)) ?? {};
}

const nameOfType = (value: unknown): string => (Array.isArray(value) ? "array" : typeof value);

/** A constant as a list of one value. */
const asEnum = (node: Fields): Fields =>
  typeof node["const"] === "string" ? { ...node, enum: [node["const"]] } : node;

/** A part without `$ref`, and with what its `anyOf`, `allOf` and `if` say of this value. */
function plain(root: FileSchema, node: unknown, value: unknown): Fields {
  const { $ref: reference, ...own } = fieldsOf(node);
  const target = typeof reference === "string" ? valueAt(root, reference.replace(/^#/, "")) : undefined;
  const all = target === undefined ? own : { ...plain(root, target, value), ...own };
  const parts = [...listOf(all, "allOf"), ...(all["if"] === undefined ? [] : [all])];
  const met = parts.filter((part) => holds(part["if"], value)).map((part) => fieldsOf(part["then"]));
  const branch = meantOf(root, all, value);
  return titled(asEnum(met.reduce(merged, Object.keys(branch).length === 0 ? all : { ...branch, ...all })));
}

/** The schema of a field, a key or an item; that of a list may differ by the item's index. */
function childAt(node: Fields, key: string): SchemaNode | undefined {
  const { items, additionalItems } = node;
  return Array.isArray(items)
    ? ((items as SchemaNode[])[Number(key)] ?? fieldsOf(additionalItems))
    : childOf(node, key);
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
  const child = along(root, childAt(here, key), valueAt(value, `/${pointerKey(key)}`), keys);
  if (Array.isArray(value)) return { ...own, items: child };
  return own.properties !== undefined && Object.hasOwn(own.properties, key)
    ? { ...own, properties: { ...own.properties, [key]: child } }
    : { ...own, additionalProperties: child };
}

/** A problem of a file: the field, its value with a space before it, what is wrong, and what to write instead. */
export interface FileProblem extends Pick<Found, "detail" | "correction"> {
  field: string;
  given: string;
}

const errorsOf = (errors: readonly ErrorObject[] | null | undefined): ErrorObject[] =>
  (errors ?? []).filter(({ keyword }) => keyword !== "propertyNames" && keyword !== "if");

/** `#/properties/a/anyOf/1/required` as `#/properties/a/anyOf` and 1. */
const ALTERNATIVE = /^(.{0,400}\/(?:anyOf|oneOf))(?:\/(\d{1,3})(?:\/|$)|$)/;

/** Of several alternatives that a value may meet, the errors of the first: to correct one is enough. */
const ofFirst = (errors: readonly ErrorObject[]): ErrorObject[] =>
  errors.filter(({ schemaPath }) => {
    const [, all, index] = ALTERNATIVE.exec(schemaPath) ?? [];
    if (all === undefined || index === "0") return true;
    return !errors.some((other) => other.schemaPath.startsWith(`${all}/0/`));
  });

function foundIn(schema: FileSchema, value: unknown, error: ErrorObject): Found[] {
  return explainErrors(along(schema, schema, value, keysOf(error.instancePath)), value, [error]);
}

const fieldOf = (pointer: string): string => dotted(pointer).slice(1) || "it";

const problemOf = ({ pointer, value, detail, correction }: Found): FileProblem => ({
  field: fieldOf(pointer),
  given: given(pointer, value),
  detail,
  correction,
});

const UNKNOWN: FileProblem = { field: "it", given: "", detail: "is not as its schema says", correction: "correct it" };

/** The problems of a value that a user wrote, in parts, each once; at least one. */
export function allFound(
  schema: FileSchema,
  value: unknown,
  errors: readonly ErrorObject[] | null | undefined,
): FileProblem[] {
  const found = ofFirst(errorsOf(errors)).flatMap((error) => foundIn(schema, value, error));
  const once = new Map(
    worthTelling(found)
      .map(problemOf)
      .map((problem) => [inWords(problem), problem]),
  );
  return once.size === 0 ? [UNKNOWN] : [...once.values()];
}

/** The first of them. */
export const firstFound = (...args: Parameters<typeof allFound>): FileProblem => allFound(...args)[0] ?? UNKNOWN;

const inWords = (problem: FileProblem): string =>
  `${problem.field}${problem.given} ${problem.detail}; ${problem.correction}`;

/** All errors of a value that a user wrote, in words and each once. */
export const problemsInWords = (
  schema: FileSchema,
  value: unknown,
  errors: readonly ErrorObject[] | null | undefined,
): string[] => (errorsOf(errors).length === 0 ? [] : allFound(schema, value, errors).map(inWords));

/** The first of them: `http.retries "two" is not a whole number; write a whole number from 0 to 10`. */
export const firstProblem = (...args: Parameters<typeof allFound>): string => inWords(firstFound(...args));

/** The words for the type of a value. */
const kindOf = (value: unknown): string => (value === null ? "null" : (KINDS[nameOfType(value)] ?? "no value"));

/** The field that an error is about, as the subject of a sentence. */
const subjectOf = ({ instancePath }: ErrorObject): string =>
  instancePath === "" ? "the answer" : fieldOf(instancePath);

/** Errors that need no look at the value: a field that is missing, and the number of entries; null for others. */
function ofParts(error: ErrorObject): string | null {
  const missing: unknown = error.keyword === "required" ? (error.params as Fields)["missingProperty"] : undefined;
  if (typeof missing === "string") return `${fieldOf(`${error.instancePath}/${pointerKey(missing)}`)} is missing`;
  const count = /^(min|max)(?:Items|Properties)$/.exec(error.keyword)?.[1];
  return count === undefined ? null : `${subjectOf(error)} has too ${count === "min" ? "few" : "many"} entries`;
}

/**
 * `Items[0].retailPrice is a text, and not a number`: without values, which may be secret or large, and which nothing here tries to
 * understand.
 */
function ofAnswer(schema: FileSchema, answer: unknown, error: ErrorObject): string {
  const { keyword, instancePath } = error;
  const field = subjectOf(error);
  const node = nodeAt(along(schema, schema, answer, keysOf(instancePath)), instancePath);
  const wanted = node.enum === undefined ? (node.title ?? "as expected") : `one of ${node.enum.join(", ")}`;
  if (keyword !== "type") return `${field} is not ${wanted}`;
  return `${field} is ${kindOf(valueAt(answer, instancePath))}, and not ${KINDS[typeOf(node) ?? ""] ?? wanted}`;
}

/** A check that refused a value, with its schema. */
interface Refused {
  schema: FileSchema;
  errors: readonly ErrorObject[] | null;
}

/** The first problem of a service's answer that its check refuses: the field and what is wrong with it, without its value. */
export const answerProblem = ({ schema, errors }: Refused, answer: unknown): string =>
  errorsOf(errors).map((error) => ofParts(error) ?? ofAnswer(schema, answer, error))[0] ?? "it is not as expected";
