import { isObject } from "../../model/json.ts";
import { error, keywordsIn, note, type Rule, type Schema, typesOf } from "./lint-rule.ts";

// What controller-gen refuses of the Go types that Krateo's core-provider generates from a values schema, and what these
// types lose. Read in kubernetes-sigs/controller-tools pkg/crd/markers/validation.go (which markers apply to which types)
// and krateoplatformops/plumbing crdgen/coders/{types,support}.go (which types and markers are generated); the first rule
// was met with core-provider 1.0.1. The list for users: docs/operations/composition.md#schemas.

const TEXT = ["maxLength", "minLength", "pattern"] as const;
const BOUNDS = ["minimum", "maximum", "multipleOf"] as const;
/** Formats with a Go type of their own, which controller-gen does not know as a text. */
const TYPED_FORMATS = new Set(["date-time", "duration"]);
const DEFINITIONS = "#/$defs/";

const isText = (schema: Schema): boolean =>
  typesOf(schema).join() === "string" && !TYPED_FORMATS.has(String(schema["format"]));

const onlyOnText: Rule = (schema, { as }) => {
  const found = as === "field" && !isText(schema) ? keywordsIn(schema, TEXT) : null;
  if (found === null) return null;
  const format = schema["format"];
  if (typesOf(schema).join() === "string")
    return error(
      `${found} next to format ${String(format)}: core-provider cannot generate the CRD; drop it here and check it at admission`,
    );
  return error(
    `${found} on a value that is not a string: core-provider cannot generate the CRD; use it with type string only`,
  );
};

const onlyOnNumbers: Rule = (schema, { as }) => {
  if (as !== "field" || ["integer", "number"].includes(typesOf(schema).join())) return null;
  const found = keywordsIn(schema, BOUNDS);
  return found === null
    ? null
    : error(
        `${found} on a value that is not an integer: core-provider cannot generate the CRD; use it with type integer only`,
      );
};

const wholeBounds: Rule = (schema) => {
  const found = BOUNDS.find((key) => typeof schema[key] === "number" && !Number.isInteger(schema[key]));
  return found === undefined || typesOf(schema).join() !== "integer"
    ? null
    : error(`${found} of an integer has to be a whole number: core-provider cannot generate the CRD`);
};

const noQuantity: Rule = (schema) =>
  schema["format"] === "quantity"
    ? error("format quantity: core-provider generates a type that it does not import; use a string with a pattern")
    : null;

const plainPattern: Rule = (schema) =>
  typeof schema["pattern"] === "string" && schema["pattern"].includes("`")
    ? error("a backtick ends the pattern in core-provider's marker: omit it")
    : null;

const plainDescription: Rule = ({ description }) =>
  typeof description === "string" && description.trimStart().startsWith("+")
    ? error("a description that begins with + is read as a marker by controller-gen: begin it with a word")
    : null;

/** Core-provider turns the list's items into texts. */
const textsAsDefault: Rule = (schema) => {
  const value = schema["default"];
  if (!Array.isArray(value) || typesOf(schema).join() !== "array") return null;
  if (value.length > 0 && value.every((item) => typeof item === "string")) return null;
  const becomes = value.length === 0 ? "a list with one empty text" : "texts, so the API server rejects the CRD";
  return error(`the default of a list becomes ${becomes}: omit the default`);
};

const objectReference: Rule = ({ $ref: reference }, { root }) => {
  if (typeof reference !== "string") return null;
  if (!reference.startsWith(DEFINITIONS))
    return error(`$ref ${reference} becomes an empty object: put the schema under ${DEFINITIONS}`);
  const definitions = root["$defs"];
  const target: unknown = isObject(definitions) ? definitions[reference.slice(DEFINITIONS.length)] : undefined;
  if (isObject(target) && isObject(target["properties"])) return null;
  return error(
    `$ref ${reference} names no object with properties, and becomes an empty object: write the schema in its place`,
  );
};

const typedChoice: Rule = (schema) => {
  if (schema["type"] !== undefined || "$ref" in schema) return null;
  const found = keywordsIn(schema, ["enum", "const", "allOf"]);
  return found === null
    ? null
    : error(`${found} without a type becomes an object, so other values are rejected: name the type`);
};

const fieldNames: Rule = ({ properties }) => {
  const wrong = isObject(properties)
    ? Object.keys(properties).filter((name) => !/^[^a-zA-Z0-9]*[a-zA-Z]/.test(name))
    : [];
  return wrong.length === 0
    ? null
    : error(`${wrong.join(", ")}: no name for a field of a Go type; begin it with a letter`);
};

const plainItems: Rule = (schema, { as }) => {
  const found = as === "items" ? keywordsIn(schema, [...TEXT, ...BOUNDS, "format", "default"]) : null;
  return found === null || typesOf(schema).join() === "object"
    ? null
    : note(`${found} of a list's items: dropped from the CRD by core-provider, admission has to enforce it`);
};

export const MARKER_RULES: readonly Rule[] = [
  onlyOnText,
  onlyOnNumbers,
  wholeBounds,
  noQuantity,
  plainPattern,
  plainDescription,
  textsAsDefault,
  objectReference,
  typedChoice,
  fieldNames,
  plainItems,
];
