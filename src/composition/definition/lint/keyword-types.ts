import { isObject } from "../../../model/json.ts";
import { error, type Schema, type SchemaProblem } from "./lint-rule.ts";

// How core-provider reads a schema: krateoplatformops/plumbing 1.7.2, crdgen/schemas/model.go, is a Go struct of these types.
// A keyword with a value of another type anywhere in the schema ends with "cannot unmarshal", and no CRD.

interface Expected {
  what: string;
  fits: (value: unknown) => boolean;
}

const isText = (value: unknown): boolean => typeof value === "string";
const isSchema = (value: unknown): boolean => isObject(value) || typeof value === "boolean" || value === null;
const everyOf =
  (fits: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(fits);
const everyIn =
  (fits: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    isObject(value) && Object.values(value).every(fits);

const named = (expected: Expected, keywords: readonly string[]): [string, Expected][] =>
  keywords.map((keyword) => [keyword, expected]);

const EXPECTED: ReadonlyMap<string, Expected> = new Map([
  ...named({ what: "a whole number", fits: Number.isInteger }, [
    ...["maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"],
  ]),
  ...named({ what: "a number", fits: (value) => typeof value === "number" }, ["multipleOf", "maximum", "minimum"]),
  ...named({ what: "a text", fits: isText }, [
    ...["$schema", "$ref", "pattern", "title", "description", "format", "binaryEncoding", "x-crdgen-identifier-name"],
  ]),
  ...named({ what: "true or false", fits: (value) => typeof value === "boolean" }, [
    ...["uniqueItems", "readOnly", "x-kubernetes-preserve-unknown-fields"],
  ]),
  ...named({ what: "a text or a list of texts", fits: (value) => isText(value) || everyOf(isText)(value) }, ["type"]),
  ...named({ what: "a list of texts", fits: everyOf(isText) }, ["required"]),
  ...named({ what: "a list", fits: Array.isArray }, ["enum"]),
  ...named({ what: "a list of schemas", fits: everyOf(isSchema) }, ["allOf", "anyOf", "oneOf"]),
  ...named({ what: "one schema", fits: isSchema }, ["items", "additionalItems", "not", "media"]),
  ...named({ what: "a schema, true or false", fits: isSchema }, ["additionalProperties"]),
  ...named({ what: "a map of schemas", fits: everyIn(isSchema) }, [
    ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"],
  ]),
  ...named({ what: "a map of lists of texts", fits: everyIn(everyOf(isText)) }, ["dependentRequired"]),
]);

/** A schema's name is read at the root alone: elsewhere `id` is a word like any other. */
const OF_THE_ROOT = ["$id", "id"];

/** The schemas below this value of a keyword, each with its path. */
function below(keyword: string, value: unknown): [string, unknown][] {
  if (!EXPECTED.get(keyword)?.what.includes("schema")) return [];
  if (Array.isArray(value)) return value.map((one, index) => [`${keyword}[${String(index)}]`, one]);
  const isMap = EXPECTED.get(keyword)?.what === "a map of schemas";
  if (isMap && isObject(value)) return Object.entries(value).map(([name, one]) => [`${keyword}.${name}`, one]);
  return [[keyword, value]];
}

function unreadable(schema: Schema, path: string): SchemaProblem[] {
  const own = Object.entries(schema).flatMap(([keyword, value]) => {
    const expected = EXPECTED.get(keyword);
    if (expected === undefined || value === null || expected.fits(value)) return [];
    const found = error(`${keyword} is not ${expected.what}: core-provider cannot read the schema`);
    return [{ path: path === "" ? "(root)" : path, ...found }];
  });
  const inner = Object.entries(schema)
    .flatMap(([keyword, value]) => below(keyword, value))
    .flatMap(([name, one]) => (isObject(one) ? unreadable(one, path === "" ? name : `${path}.${name}`) : []));
  return [...own, ...inner];
}

/** The keywords of a values schema, at any depth, whose value core-provider cannot read: tuples, lists of dependencies, and others. */
export function unreadableKeywords(schema: Schema): SchemaProblem[] {
  const names = OF_THE_ROOT.filter((name) => name in schema && typeof schema[name] !== "string");
  const ofRoot = names.map((name) => ({
    path: "(root)",
    ...error(`${name} is not a text: core-provider cannot read the schema`),
  }));
  return [...ofRoot, ...unreadable(schema, "")];
}
