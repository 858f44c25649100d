import { isObject } from "../../model/json.ts";

export interface SchemaProblem {
  /** Path in the schema, e.g. `properties.cpu`. */
  path: string;
  /** An error breaks the CRD or misleads its users; a note is dropped silently by Krateo, so admission must enforce it. */
  level: "error" | "note";
  message: string;
}

type Schema = Record<string, unknown>;
type Rule = (schema: Schema) => Omit<SchemaProblem, "path"> | null;

const INT32 = 2_147_483_647;
const SCALARS = new Set(["string", "integer", "boolean", "number"]);
const DROPPED = [
  "minItems",
  "maxItems",
  "uniqueItems",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "propertyNames",
  "maxProperties",
];

const error = (message: string): Omit<SchemaProblem, "path"> => ({ level: "error", message });
const note = (message: string): Omit<SchemaProblem, "path"> => ({ level: "note", message });

/** JSON Schema's name for a value's type; integers apart from other numbers. */
function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (value === null) return "null";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

const typesOf = (schema: Schema): unknown[] => (Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]]);

const noNumber: Rule = (schema) =>
  typesOf(schema).includes("number")
    ? error("type number makes the generation of the CRD fail: use integer, or a string")
    : null;

const oneType: Rule = (schema) => {
  const types = typesOf(schema).filter((type) => type !== "null");
  return types.length > 1
    ? error(`a value of several types (${types.join(", ")}) has no place in a CRD: choose one`)
    : null;
};

const someType: Rule = (schema) => {
  const described = ["type", "$ref", "oneOf", "anyOf", "allOf", "enum", "x-kubernetes-preserve-unknown-fields"];
  return described.some((key) => key in schema)
    ? null
    : error("a value without a type has no place in a CRD: name one");
};

const rightDefault: Rule = (schema) => {
  if (!("default" in schema) || schema["type"] === undefined) return null;
  const actual = typeOf(schema["default"]);
  if (typesOf(schema).includes(actual)) return null;
  return error(
    `the default is of type ${actual}, so the API server rejects the CRD: write it as ${typesOf(schema).join(" or ")}`,
  );
};

const noScalarChoice: Rule = (schema) => {
  for (const key of ["oneOf", "anyOf"]) {
    const choices = Array.isArray(schema[key]) ? schema[key].filter(isObject) : [];
    if (choices.some((choice) => typesOf(choice).some((type) => SCALARS.has(String(type))))) {
      return error(`${key} of scalars becomes an object, so scalars are rejected: use one type`);
    }
  }
  return null;
};

const withinInt32: Rule = (schema) => {
  const bounds = ["minimum", "maximum", "default"]
    .map((key) => schema[key])
    .filter((value) => typeof value === "number");
  const outside = schema["type"] === "integer" ? bounds.find((value) => Math.abs(value) > INT32) : undefined;
  return outside === undefined ? null : error(`integers become int32, and ${String(outside)} is outside: use a string`);
};

const dropped: Rule = (schema) => {
  const found = DROPPED.filter((key) => key in schema);
  return found.length === 0 ? null : note(`${found.join(", ")}: dropped from the CRD, admission has to enforce it`);
};

const openMap: Rule = (schema) =>
  isObject(schema["additionalProperties"])
    ? note("a map becomes preserve-unknown-fields: admission has to check its values")
    : null;

const RULES: readonly Rule[] = [
  noNumber,
  oneType,
  someType,
  rightDefault,
  noScalarChoice,
  withinInt32,
  dropped,
  openMap,
];

/** The schemas within this one, each with its path. */
function children(schema: Schema): [string, Schema][] {
  const named = ["properties", "$defs", "definitions"].flatMap((key): [string, unknown][] => {
    const inner = schema[key];
    return isObject(inner) ? Object.entries(inner).map(([name, value]) => [`${key}.${name}`, value]) : [];
  });
  const single: [string, unknown][] = ["items", "additionalProperties"].map((key) => [key, schema[key]]);
  return [...named, ...single].filter((entry): entry is [string, Schema] => isObject(entry[1]));
}

/**
 * The parts of a chart's values schema that do not survive the conversion to a CRD, by Krateo's generator or ours
 * (docs/operations/composition.md). Takes a JSON Schema of draft 7; returns problems in the order of the schema, none
 * for a portable one without extras.
 */
export function lintSchema(schema: Schema, path = ""): SchemaProblem[] {
  const own = RULES.flatMap((rule) => {
    const problem = rule(schema);
    return problem === null ? [] : [{ path: path === "" ? "(root)" : path, ...problem }];
  });
  const inner = children(schema).flatMap(([name, child]) => lintSchema(child, path === "" ? name : `${path}.${name}`));
  return [...own, ...inner];
}
