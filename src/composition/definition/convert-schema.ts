import { LandfallError } from "../../errors.ts";
import { isObject, textOf } from "../../model/json.ts";
import { table } from "../../model/table.ts";

export type Schema = Record<string, unknown>;

interface Context {
  chart: string;
  root: Schema;
  /** `spec.pools[].min`, for messages. */
  path: string;
  /** References that are being resolved. */
  open: readonly string[];
  /** How deep this schema lies in others, references included. */
  depth: number;
  /** Of the whole conversion: references can double a schema at each step. */
  size: { schemas: number; characters: number };
}

/** The largest chart of this project has 150 schemas, three deep, of 10 kB. The API server stores about 1 MiB. */
const MOST = { schemas: 20_000, depth: 64, characters: 1024 * 1024 };
/** Characters of one $ref. */
const REFERENCE = 1024;

const PRESERVE = { type: "object", "x-kubernetes-preserve-unknown-fields": true } as const;
const SCALAR_KEYWORDS: Record<string, readonly string[]> = table({
  string: ["enum", "format", "maxLength", "minLength", "pattern"],
  integer: ["enum", "maximum", "minimum"],
  boolean: [],
});

/** The keywords that a CRD's schema takes over as they are. */
const COPIED = ["description", "default", "required", ...Object.values(SCALAR_KEYWORDS).flat()];

const pick = (schema: Schema, keys: readonly string[]): Schema =>
  Object.fromEntries(keys.filter((key) => key in schema).map((key) => [key, schema[key]]));

function refuse(context: Context, detail: string): LandfallError {
  return new LandfallError("REL_CHART_SCHEMA", { chart: context.chart, detail: `${context.path}: ${detail}` });
}

/** Counts a schema before it is read. Throws REL_CHART_SCHEMA above a limit. */
function count(context: Context, schema: Schema): void {
  const { size, depth } = context;
  size.schemas += 1;
  const names = isObject(schema["properties"]) ? Object.keys(schema["properties"]) : [];
  size.characters += JSON.stringify([names, pick(schema, COPIED)]).length;
  if (depth > MOST.depth) throw refuse(context, `it lies in more than ${String(MOST.depth)} others`);
  if (size.schemas > MOST.schemas)
    throw refuse(context, `with what its $ref name, the schema has more than ${String(MOST.schemas)} parts`);
  if (size.characters > MOST.characters)
    throw refuse(context, `with what its $ref name, the schema has more than ${String(MOST.characters)} characters`);
}

function lookUp(context: Context, reference: string): Schema {
  if (reference.length > REFERENCE) throw refuse(context, `a $ref has more than ${String(REFERENCE)} characters`);
  if (!reference.startsWith("#/")) throw refuse(context, `$ref ${reference} leaves the schema`);
  if (context.open.includes(reference)) throw refuse(context, `$ref ${reference} refers to itself`);
  const steps = reference.slice(2).split("/");
  const found = steps
    .map((step) => step.replace(/~1/g, "/").replace(/~0/g, "~"))
    .reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), context.root);
  if (isObject(found)) return found;
  throw refuse(context, `$ref ${reference} names nothing`);
}

/** Resolves a $ref; keywords next to it have priority. */
function resolveReference(context: Context, schema: Schema): { schema: Schema; context: Context } {
  const reference = schema["$ref"];
  if (typeof reference !== "string") return { schema, context };
  const { $ref: _, ...beside } = schema;
  const inner = { ...context, open: [...context.open, reference], depth: context.depth + 1 };
  count(inner, beside);
  const resolved = resolveReference(inner, lookUp(context, reference));
  return { schema: { ...resolved.schema, ...beside }, context: resolved.context };
}

interface Kind {
  /** Null: more than one type, or none that a CRD knows. */
  type: string | null;
  nullable: boolean;
}

function kindOf(schema: Schema): Kind {
  const given = schema["type"];
  const types = (Array.isArray(given) ? given : [given]).filter((type) => typeof type === "string");
  const nullable = types.includes("null");
  const others = types.filter((type) => type !== "null");
  if (others.length === 1) return { type: others[0] ?? null, nullable };
  if (others.length === 0 && isObject(schema["properties"])) return { type: "object", nullable };
  return { type: null, nullable };
}

const MATCHES: Record<string, (value: unknown) => boolean> = table({
  string: (value) => typeof value === "string",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  object: isObject,
  array: Array.isArray,
});

function defaultOf(context: Context, schema: Schema, kind: Kind): Schema {
  if (!("default" in schema)) return {};
  const value = schema["default"];
  const fits = value === null ? kind.nullable : (MATCHES[kind.type ?? ""]?.(value) ?? true);
  if (fits) return { default: value };
  // The API server would reject the whole CRD for it.
  throw refuse(context, `the default ${JSON.stringify(value)} is not of type ${String(kind.type)}`);
}

function convertObject(context: Context, schema: Schema): Schema {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const names = Object.keys(properties).sort();
  if (names.length === 0) return { ...PRESERVE };
  const converted = names.map((name) => [
    name,
    convert({ ...context, path: `${context.path}.${name}` }, properties[name]),
  ]);
  const required = Array.isArray(schema["required"]) ? schema["required"].map(textOf).sort() : [];
  const preserve = pick(schema, ["x-kubernetes-preserve-unknown-fields"]);
  const result = { type: "object", properties: Object.fromEntries(converted) as Schema, ...preserve };
  return required.length > 0 ? { ...result, required } : result;
}

function convertByType(context: Context, schema: Schema, type: string | null): Schema {
  if (type === "object") return convertObject(context, schema);
  if (type === "array") {
    const items = schema["items"];
    const path = `${context.path}[]`;
    return { type, items: isObject(items) ? convert({ ...context, path }, items) : { ...PRESERVE } };
  }
  if (type === "number") throw refuse(context, "a CRD cannot have type number; use an integer or a string");
  const keywords = SCALAR_KEYWORDS[type ?? ""];
  // Several types, oneOf of scalars, or no type: Krateo generates an object.
  if (type === null || !keywords) return { ...PRESERVE };
  return { type, ...(type === "integer" ? { format: "int32" } : {}), ...pick(schema, keywords) };
}

function convert(context: Context, given: unknown): Schema {
  if (!isObject(given)) return { ...PRESERVE };
  const { schema, context: inner } = resolveReference({ ...context, depth: context.depth + 1 }, given);
  count(inner, schema);
  const kind = kindOf(schema);
  return {
    ...pick(schema, ["description"]),
    ...convertByType(inner, schema, kind.type),
    ...(kind.nullable ? { nullable: true } : {}),
    ...defaultOf(context, schema, kind),
  };
}

/**
 * Converts a JSON Schema of values to the structural schema of a CRD, by Krateo's rules: see
 * docs/operations/composition.md. Throws REL_CHART_SCHEMA for schemas that the API server or Krateo would reject,
 * and for those that are too large or too deep with all that their references name.
 */
export function convertSchema(schema: Schema, chart: string): Schema {
  const size = { schemas: 0, characters: 0 };
  return convert({ chart, root: schema, path: "spec", open: [], depth: 0, size }, schema);
}
