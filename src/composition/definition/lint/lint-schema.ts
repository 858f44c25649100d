import { isObject, textOf } from "../../../model/json.ts";
import { defaultProblem } from "./default-problem.ts";
import { unreadableKeywords } from "./keyword-types.ts";
import {
  error,
  type Found,
  keywordsIn,
  note,
  type Place,
  type Rule,
  type Schema,
  type SchemaProblem,
  typesOf,
} from "./lint-rule.ts";
import { MARKER_RULES } from "./marker-rules.ts";
import { clashingTypes } from "./type-names.ts";

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
  "contains",
  "additionalItems",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
];
const CHOICES = ["oneOf", "anyOf", "allOf"];

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

const someType: Rule = (schema, { root }) => {
  if (schema === root && "properties" in schema) return null;
  if ("type" in schema && typesOf(schema).length === 0)
    return error("no type but null has no place in a CRD: name one");
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
    `the default is of type ${actual}, so the API server rejects the CRD: write it as ${types.map(textOf).join(" or ")}`,
  );
};

const validDefault: Rule = (schema, { root }) => {
  const types = [schema["type"]].flat();
  // A default of another type is said above.
  if (!("default" in schema) || !types.includes(typeOf(schema["default"]))) return null;
  const problem = defaultProblem(schema, root);
  return problem === null
    ? null
    : error(`the default breaks the rules of its schema, so the API server rejects the CRD: ${problem}`);
};

/** Next to a type, a choice is dropped. */
const noScalarChoice: Rule = (schema) => {
  if ("type" in schema) return null;
  for (const key of ["oneOf", "anyOf"]) {
    const choices = Array.isArray(schema[key]) ? schema[key].filter(isObject) : [];
    if (choices.some((choice) => typesOf(choice).some((type) => SCALARS.has(type)))) {
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
  const types = typesOf(schema).filter((type) => type !== "null");
  // The generator makes an enum of texts and of integers alone (crdgen/coders/types.go).
  const enums = types.length > 0 && !["string", "integer"].includes(types.join()) ? ["enum"] : [];
  const found = keywordsIn(schema, [...DROPPED, ...("type" in schema ? CHOICES : []), ...enums]);
  return found === null ? null : note(`${found}: dropped from the CRD, admission has to enforce it`);
};

const openMap: Rule = (schema) =>
  isObject(schema["additionalProperties"])
    ? note("a map becomes preserve-unknown-fields: admission has to check its values")
    : null;

const someFields: Rule = (schema, { root }) => {
  const { properties } = schema;
  return schema !== root || (isObject(properties) && Object.keys(properties).length > 0)
    ? null
    : error("a schema without properties: core-provider cannot generate the CRD; name the fields");
};

const RULES: readonly Rule[] = [
  noNumber,
  oneType,
  someType,
  rightDefault,
  validDefault,
  noScalarChoice,
  withinInt32,
  dropped,
  openMap,
  someFields,
  ...MARKER_RULES,
];

/** The schemas within this one, each with its path and place. */
function children(schema: Schema, place: Place): [string, unknown, Place][] {
  const { root } = place;
  const named = (["properties", "$defs", "definitions"] as const).flatMap((key): [string, unknown, Place][] => {
    const inner = schema[key];
    const as = key === "properties" ? "field" : "definition";
    return isObject(inner) ? Object.entries(inner).map(([name, value]) => [`${key}.${name}`, value, { root, as }]) : [];
  });
  const as = place.as === "field" ? "items" : "deeper";
  return [
    ...named,
    ["items", schema["items"], { root, as }],
    ["additionalProperties", schema["additionalProperties"], { root, as: "deeper" }],
  ];
}

const TRUE_OR_FALSE: Found = error("true or false in the place of a schema becomes an object: name the type");

/** A boolean as a schema; for maps it only says whether they are open. */
const isBare = (child: unknown, name: string): boolean => typeof child === "boolean" && name !== "additionalProperties";

function lint(schema: Schema, place: Place, path: string): SchemaProblem[] {
  const own = RULES.flatMap((rule) => {
    const problem = rule(schema, place);
    return problem === null ? [] : [{ path: path === "" ? "(root)" : path, ...problem }];
  });
  const inner = children(schema, place).flatMap(([name, child, at]) => {
    const below = path === "" ? name : `${path}.${name}`;
    if (isBare(child, name)) return [{ path: below, ...TRUE_OR_FALSE }];
    return isObject(child) ? lint(child, at, below) : [];
  });
  return [...own, ...inner];
}

/**
 * The parts of a chart's values schema that do not survive the conversion to a CRD, by Krateo's generator or ours
 * (docs/operations/composition.md#schemas). Takes a JSON Schema of draft 7, and the kind of the chart's objects if it is known;
 * returns none for a portable schema without extras.
 */
export function lintSchema(schema: Schema, kind?: string): SchemaProblem[] {
  return [
    ...unreadableKeywords(schema),
    ...lint(schema, { root: schema, as: "definition" }, ""),
    ...clashingTypes(schema, kind),
  ];
}
