import jsonPatch, { type Operation } from "fast-json-patch";
import { schemaDenialsOf } from "../../admission/check/check-object.ts";
import { fieldDenial, SCHEMAS } from "../../admission/check/schema-denials.ts";
import type { Denial, PatchOperation } from "../../model/decision.ts";
import type { Kind } from "../../model/names.ts";
import { assignment, explainValue, shown } from "../../model/wrong-value/explain-value.ts";
import { isUnfilled } from "../../model/wrong-value/placeholder.ts";
import { accepts, dotted, nodeAt, typeOf } from "../../model/wrong-value/schema-node.ts";
import type { SizeOf } from "../../model/wrong-value/read/pools.ts";
import { type WrittenValue, writtenWithin } from "./written-as.ts";
import { textOf } from "../../model/json.ts";

/** Why a value without quotes is not the text that it looks like. */
export const readAs = (value: unknown): string => `is the ${typeof value} ${textOf(value)} in YAML`;

const replaced = (pointer: string, value: string | readonly string[]): PatchOperation => ({
  op: "replace",
  path: `/spec${pointer}`,
  value,
});

function toldAs(kind: Kind, denial: Denial, [pointer, value, { text, tag }]: WrittenValue): Denial {
  if (tag !== undefined) return { ...denial, message: denial.message.replace("its quotes", `its tag ${tag}`) };
  const schema = SCHEMAS[kind];
  const node = nodeAt(schema, pointer);
  // `dataResidency: NO`: one item in place of the list.
  const isItem = typeOf(node) === "array";
  if ((!isItem && typeOf(node) !== "string") || shown(pointer, text) === null) return denial;
  const wanted = isItem ? [text] : text;
  const meant = accepts(node, wanted)
    ? { correction: `write ${assignment(pointer, wanted)}`, patch: [replaced(pointer, wanted)] }
    : explainValue(pointer, node, text);
  const found = { ...meant, pointer, value, keyword: "type", detail: readAs(value) };
  return fieldDenial(schema, found, ` ${String(shown(pointer, text))}`);
}

/** Whether another tool fills in the value of a tag, such as `!Ref` of CloudFormation. */
const isForeign = ({ tag, text }: WrittenValue[2]): boolean => tag !== undefined && isUnfilled(`${tag} ${text}`);

/** The text of the file for a value: `0042`, and `!Ref Region` with the tag of another tool. */
const inFile = (written: WrittenValue[2]): string =>
  isForeign(written) ? `${String(written.tag)} ${written.text}` : written.text;

/** The spec with the texts of these values, and not what YAML reads in them. */
function withTexts(spec: unknown, all: readonly WrittenValue[]): unknown {
  const texts: PatchOperation[] = all.map(([pointer, , written]) => replaced(pointer, inFile(written)));
  return jsonPatch.applyPatch({ spec: structuredClone(spec) }, texts as Operation[]).newDocument.spec;
}

/** The values within a field, and the field itself with the tag of another tool. */
const within = (field: string, all: readonly WrittenValue[]): WrittenValue[] =>
  all.filter(([pointer, , written]) =>
    written.tag === undefined ? /^[.[]/.test(afterField(field, pointer)) : isTagged(field, pointer, written),
  );

const isTagged = (field: string, pointer: string, written: WrittenValue[2]): boolean =>
  isForeign(written) && (field === `spec${dotted(pointer)}` || /^[.[]/.test(afterField(field, pointer)));

const afterField = (field: string, pointer: string): string => {
  const path = `spec${dotted(pointer)}`;
  return path.startsWith(field) ? path.slice(field.length) : "";
};

/** A correction of a value that the file writes otherwise, or of a map or list that moves such values: `labels: {build: 0123}` becomes tags with the text, and not with the number. */
function moved({ kind, spec, sizeOf }: Asked, denials: readonly Denial[], all: readonly WrittenValue[]): Denial[] {
  const fields = new Set(
    denials.flatMap(({ code, field }) => (code === "ADM_SCHEMA" && field !== null ? [field] : [])),
  );
  return [...fields].reduce<Denial[]>(
    (told, field) => {
      const texts = within(field, all);
      if (texts.length === 0) return told;
      const about = (one: Denial): boolean => one.code === "ADM_SCHEMA" && one.field === field;
      const found = schemaDenialsOf(kind, withTexts(spec, texts), sizeOf).filter(about);
      return told.map((one) => (about(one) ? (found.shift() ?? one) : one));
    },
    [...denials],
  );
}

/** The denials of values with the tag of another tool, whose text alone is accepted. */
function tagged({ kind, spec, sizeOf }: Asked, denials: readonly Denial[], all: readonly WrittenValue[]): Denial[] {
  const texts = all.filter(([, , written]) => isForeign(written));
  if (denials.length === 0 || texts.length === 0) return [];
  const fields = texts.map(([pointer]) => `spec${dotted(pointer)}`);
  return schemaDenialsOf(kind, withTexts(spec, texts), sizeOf).filter(
    ({ field }) => field !== null && fields.includes(field) && !denials.some((one) => one.field === field),
  );
}

/** An object whose denials use the words of its file, and the machine types for corrections. */
interface Asked {
  kind: Kind;
  spec: unknown;
  sizeOf: SizeOf;
}

/**
 * Denials in terms of what the file says. Admission sees `815` for `0815`, and a text for `!!str 2`, as the API server does; only the file
 * says what was meant.
 */
export function asWritten(asked: Asked, denials: readonly Denial[]): Denial[] {
  const values = writtenWithin(asked.spec);
  const all = new Map(values.map((one) => [`spec${dotted(one[0])}`, one]));
  const told = [...moved(asked, denials, values), ...tagged(asked, denials, values)];
  return told.map((denial) => {
    const written = all.get(denial.field ?? "");
    // The policy has read the corrected value, and the tag of another tool has its own message.
    if (written === undefined || !denial.code.startsWith("ADM_") || isForeign(written[2])) return denial;
    return toldAs(asked.kind, denial, written);
  });
}

/** Numbers that YAML reads in another base than they look: `010` is 8. */
const OTHER_BASE = /^[-+]?0[0-9]/;

/** Notes on such numbers of a spec: the API server reads them as silently as YAML. */
export const numberNotes = (kind: Kind, spec: unknown): string[] =>
  writtenWithin(spec).flatMap(([pointer, value, { text, tag }]) => {
    const isNumber = typeof value === "number" && typeOf(nodeAt(SCHEMAS[kind], pointer)) === "integer";
    if (!isNumber || tag !== undefined || !OTHER_BASE.test(text) || Number(text) === value) return [];
    const decimal = Number(text);
    const or = Number.isFinite(decimal) ? ` or ${assignment(pointer, decimal)}` : "";
    return [`spec${dotted(pointer)} ${text} is ${String(value)} in YAML; write ${assignment(pointer, value)}${or}`];
  });
