import { isObject } from "../../model/json.ts";
import {
  error,
  keywordsIn,
  note,
  type Place,
  type Rule,
  type Schema,
  type SchemaProblem,
  typesOf,
} from "./lint-rule.ts";
import { MARKER_RULES } from "./marker-rules.ts";

const INT32 = 2_147_483_647;
const SCALARS = new Set(["string", "integer", "boolean", "number"]);
const DROPPED = [
  "minItems",
  "maxItems",
  "uniqueItems",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "propertyNames",
  "patternProperties",
  "minProperties",
  "maxProperties",
  "not",
  "if",
  "const",
];

/** JSON Schema's name for a value's type; integers apart from other numbers. */
function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (value === null) return "null";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

const noNumber: Rule = (schema) =>
  typesOf(schema).includes("number")
    ? error("type number makes the generation of the CRD fail: use integer, or a string")
    : null;

const oneType: Rule = (schema) => {
  const types = typesOf(schema);
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
  const types = [schema["type"]].flat();
  if (types.includes(actual)) return null;
  return error(
    `the default is of type ${actual}, so the API server rejects the CRD: write it as ${types.map(String).join(" or ")}`,
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
  const found = keywordsIn(schema, DROPPED);
  return found === null ? null : note(`${found}: dropped from the CRD, admission has to enforce it`);
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
  ...MARKER_RULES,
];

/** The schemas within this one, each with its path and place. */
function children(schema: Schema, root: Schema): [string, unknown, Place][] {
  const named = (["properties", "$defs", "definitions"] as const).flatMap((key): [string, unknown, Place][] => {
    const inner = schema[key];
    const as = key === "properties" ? "field" : "definition";
    return isObject(inner) ? Object.entries(inner).map(([name, value]) => [`${key}.${name}`, value, { root, as }]) : [];
  });
  const single = ["items", "additionalProperties"] as const;
  return [...named, ...single.map((key): [string, unknown, Place] => [key, schema[key], { root, as: "items" }])];
}

function lint(schema: Schema, place: Place, path: string): SchemaProblem[] {
  const own = RULES.flatMap((rule) => {
    const problem = rule(schema, place);
    return problem === null ? [] : [{ path: path === "" ? "(root)" : path, ...problem }];
  });
  const inner = children(schema, place.root).flatMap(([name, child, at]) =>
    isObject(child) ? lint(child, at, path === "" ? name : `${path}.${name}`) : [],
  );
  return [...own, ...inner];
}

/**
 * The parts of a chart's values schema that do not survive the conversion to a CRD, by Krateo's generator or ours
 * (docs/operations/composition.md#schemas). Takes a JSON Schema of draft 7; returns problems in the
 * order of the schema, none for a portable one without extras.
 */
export function lintSchema(schema: Schema): SchemaProblem[] {
  return lint(schema, { root: schema, as: "definition" }, "");
}
