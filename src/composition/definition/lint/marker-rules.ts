import { isObject, textOf } from "../../../model/json.ts";
import { error, keywordsIn, note, type Rule, type Schema, typesOf } from "./lint-rule.ts";
import { objectReference } from "./object-reference.ts";

/** The most repetitions that RE2 counts. */
const MOST = 1000;

/**
 * Whether the API server can read this pattern of a schema, as far as JavaScript can and RE2 cannot: no looking around, no references back,
 * no escapes of other letters, no doubled or possessive repetition, no empty set, and at most 1000 repetitions.
 * https://github.com/google/re2/wiki/Syntax
 */
function isRe2(pattern: string): boolean {
  const single = pattern.replaceAll("\\\\", "");
  if (/\\[1-9ceg-moquyF-ORT-VX-Z]/.test(single)) return false;
  const plain = single.replaceAll(/\\./g, "x");
  if (/\[\^?\]/.test(plain)) return false;
  const outside = plain.replaceAll(/\[[^[\]]{1,500}\]/g, "x");
  if (/\(\?<?[=!]|[+*?}][+*]/.test(outside)) return false;
  return [...outside.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g)].every(([, least, most]) =>
    [least, most].every((count) => Number(count ?? 0) <= MOST),
  );
}

// Rules by which controller-gen refuses Go types that Krateo's core-provider generates from a values schema, and what these
// types lose. Read in kubernetes-sigs/controller-tools pkg/crd/markers/validation.go (which markers apply to which types)
// and krateoplatformops/plumbing crdgen/coders/{types,support}.go (which types and markers are generated). The generator of
// core-provider 1.0.1 (plumbing 1.7.2, controller-gen 0.18.0) was run on a schema of each rule, 2026-11-22. The list for users:
// docs/operations/composition.md#schemas.

const LENGTHS = ["maxLength", "minLength"] as const;
const TEXT = [...LENGTHS, "pattern"] as const;
const BOUNDS = ["minimum", "maximum", "multipleOf"] as const;
/** Formats with a Go type of their own, which controller-gen does not know as a text. */
const TYPED_FORMATS = new Set(["date-time", "duration"]);

const isText = (schema: Schema): boolean =>
  typesOf(schema).join() === "string" && !TYPED_FORMATS.has(textOf(schema["format"]));

const onlyOnText: Rule = (schema, { as }) => {
  const found = as === "field" && !isText(schema) ? keywordsIn(schema, TEXT) : null;
  if (found === null) return null;
  const format = schema["format"];
  if (typesOf(schema).join() === "string")
    return error(
      `${found} next to format ${textOf(format)}: core-provider cannot generate the CRD; drop it here and check it at admission`,
    );
  return error(
    `${found} on a value that is not a string: core-provider refuses a pattern there, and drops a length; use it with type string only`,
  );
};

/** The items of a field's list get markers for their length. */
const onlyOnTextItems: Rule = (schema, { as }) => {
  const isTyped = "enum" in schema || TYPED_FORMATS.has(textOf(schema["format"]));
  const found = as === "items" && isTyped && typesOf(schema).join() === "string" ? keywordsIn(schema, LENGTHS) : null;
  return found === null
    ? null
    : error(
        `${found} of a list's items next to enum, or format date-time or duration: core-provider cannot generate the CRD; omit it`,
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

/** A field with an enum has a Go type of its own, which controller-gen knows neither as a text nor as a number. */
const enumAlone: Rule = (schema, { as }) => {
  const found = as === "field" && "enum" in schema ? keywordsIn(schema, [...TEXT, ...BOUNDS]) : null;
  return found === null
    ? null
    : error(`${found} next to enum: core-provider cannot generate the CRD; the enum says it already, so omit it`);
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

const plainPattern: Rule = ({ pattern }, { as }) => {
  if (typeof pattern !== "string") return null;
  if (/[`\n]/.test(pattern))
    return error("a backtick or line break ends the pattern in core-provider's marker: omit it");
  if (as !== "field" || isRe2(pattern)) return null;
  return error("RE2 cannot read the pattern, so the API server rejects the CRD: check it at admission");
};

const plainDescription: Rule = ({ description }) =>
  typeof description === "string" && description.split("\n").some((line) => line.trimStart().startsWith("+"))
    ? error("a line of a description that begins with + is read as a marker by controller-gen: begin it with a word")
    : null;

/** Whether controller-gen, which guesses the type of what it reads, reads these words without quotes as one text. */
const isOneText = (words: string): boolean =>
  /^[^\s\d"'`{}+.-]/.test(words) && !/[,;:}\n]/.test(words) && !/^(?:true|false)\b/.test(words);

/** A title and a format stand in their markers without quotes. */
const plainWords: Rule = (schema, { as }) => {
  const found = (["title", "format"] as const).find((key) => {
    const words = schema[key];
    return typeof words === "string" && words !== "" && !isOneText(words);
  });
  return found === undefined || as !== "field"
    ? null
    : error(`the ${found} is not read as one text by controller-gen: begin it with a letter, and omit , ; : and }`);
};

/** Whether no text in this value has what ends a text between quotes. */
function isPlainText(value: unknown): boolean {
  if (typeof value === "string") return !/["\\\n]/.test(value);
  return typeof value !== "object" || value === null || Object.entries(value).flat().every(isPlainText);
}

/** The texts of a list stand in their marker as they are, between quotes. */
const plainTexts: Rule = (schema) => {
  const found = (["default", "examples"] as const).find((key) => {
    const list: unknown = schema[key];
    return Array.isArray(list) && !list.every(isPlainText);
  });
  return found === undefined
    ? null
    : error(`a quote, backslash or line break ends a text of ${found} in core-provider's marker: omit it`);
};

/** Core-provider writes null as a text, and the items of a list without quotes. */
const plainObjectDefault: Rule = (schema) => {
  const value = schema["default"];
  const isLost = (one: unknown): boolean =>
    one === null || Array.isArray(one) || (isObject(one) && Object.values(one).some(isLost));
  return isObject(value) && isLost(value)
    ? error("null or a list within a default becomes another value: give the inner fields defaults of their own")
    : null;
};

/** Core-provider turns the list's items into texts. */
const textsAsDefault: Rule = (schema) => {
  const value = schema["default"];
  if (!Array.isArray(value) || typesOf(schema).join() !== "array") return null;
  if (value.length > 0 && value.every((item) => typeof item === "string")) return null;
  const becomes = value.length === 0 ? "a list with one empty text" : "texts, so the API server rejects the CRD";
  return error(`the default of a list becomes ${becomes}: omit the default`);
};

const typedChoice: Rule = (schema) => {
  if (schema["type"] !== undefined || "$ref" in schema) return null;
  const found = keywordsIn(schema, ["enum", "const", "allOf"]);
  return found === null
    ? null
    : error(`${found} without a type becomes an object, so other values are rejected: name the type`);
};

const fieldNames: Rule = ({ properties }) => {
  const names = isObject(properties) ? Object.keys(properties) : [];
  const wrong = names.filter((name) => !/^[^a-zA-Z0-9]*[a-zA-Z]/.test(name) || /[,"`\\]/.test(name));
  return wrong.length === 0
    ? null
    : error(`${wrong.join(" ")}: no name for a field of a Go type; begin it with a letter, and omit , and quotes`);
};

const plainItems: Rule = (schema, { as }) => {
  const dropped = as === "items" ? ["pattern", ...BOUNDS, "default"] : [...TEXT, ...BOUNDS, "default"];
  const found = as === "items" || as === "deeper" ? keywordsIn(schema, dropped) : null;
  return found === null || typesOf(schema).join() === "object"
    ? null
    : note(`${found} of a list's items: dropped from the CRD by core-provider, admission has to enforce it`);
};

export const MARKER_RULES: readonly Rule[] = [
  onlyOnText,
  onlyOnTextItems,
  onlyOnNumbers,
  enumAlone,
  wholeBounds,
  noQuantity,
  plainPattern,
  plainDescription,
  plainWords,
  plainTexts,
  plainObjectDefault,
  textsAsDefault,
  objectReference,
  typedChoice,
  fieldNames,
  plainItems,
];
