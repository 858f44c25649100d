import type { PatchOperation } from "../decision.ts";
import { isObject, keysOf, pointerKey, textOf } from "../json.ts";
import { gluedName } from "../text/glued-name.ts";
import { nearest } from "../text/nearest.ts";
import { instead } from "./elsewhere.ts";
import { foreignValue, type Written } from "./foreign-value.ts";
import { assignment, type Explanation, wanted } from "./explain-value.ts";
import { below, type UnknownField, writtenBelow } from "./other-map.ts";
import { readSize } from "./read-text.ts";
import { readValue } from "./read-value.ts";
import { UNFILLED } from "./placeholder.ts";
import { complete } from "./read-foreign.ts";
import { byAlias, contradicts, readWithin, sameName } from "./read-within.ts";
import { accepts, childOf, type Reading, type SchemaNode, typeOf } from "./schema-node.ts";

/** The problem of a field that its map does not have. `meant`: the names of those that may be meant. */
type Unknown = Explanation & { meant: string[] };

/** The field of a map that a name stands for: the same but for its notation, another name of it, or nearly the same name. */
function fieldFor(node: SchemaNode, name: string, value: unknown): string | null {
  const fields = Object.keys(node.properties ?? {}).filter((field) => field !== "global");
  return sameName(node, name) ?? byAlias(node, name, value) ?? nearest(name, fields);
}

/** No user means a name that is longer. */
const LONGEST_NAME = 60;
const MOST_LISTED = 12;

/** The advice to write the field into a map of names that the user chooses, as quotas by namespace; null if there is no such map here. */
function mapBeside({ properties = {} }: SchemaNode, { name, value }: UnknownField): string | null {
  const found = Object.entries(properties).find(([, { additionalProperties: inner }]) => {
    return typeof inner === "object" && inner.properties !== undefined && isObject(value);
  });
  return found === undefined ? null : `if ${name} is one of ${found[0]}, write it below ${found[0]}`;
}

function listed({ properties = {} }: SchemaNode): string {
  const names = Object.keys(properties);
  return names.length <= MOST_LISTED
    ? `; the fields here are ${names.join(", ")}`
    : "; docs/reference/ lists the fields of each kind";
}

/** Whether a field of this map may be meant as a limit. */
const holdsLimits = (schema: SchemaNode, node: SchemaNode): boolean =>
  schema["x-limits"] === true && node["x-limits"] !== false;

/** The advice for a field that corresponds to none of this kind. */
function withoutMeaning(schema: SchemaNode, node: SchemaNode, field: UnknownField): string {
  const place = below(node, field);
  const above = keysOf(field.parent);
  if (place !== null && !above.some((key) => /^\d+$/.test(key))) return writtenBelow(node, place, above, field);
  if (place !== null) return writtenBelow(node, place, [], field);
  const isAbove = node !== schema && Object.hasOwn(schema.properties ?? {}, field.name);
  if (isAbove) return schema["x-limits"] === true ? "it belongs directly at the top" : "it belongs directly below spec";
  if (!holdsLimits(schema, node)) return `remove it${listed(node)}`;
  return `${mapBeside(node, field) ?? "write another name, or it limits nothing"}${listed(node)}`;
}

/** The correction of a field that stands for `meant`, with a value that it does not take. */
function unreadable(pointer: string, meant: string, child: SchemaNode, advice: string | undefined): string {
  return advice === undefined ? `write ${wanted(pointer, child)}` : `write ${meant}; ${advice}`;
}

/** How a value can be understood in the field that is meant; almost all types have a digit in their name. */
function readAs(child: SchemaNode, value: unknown): Reading | null {
  const reading = readValue(child, value);
  const isWord = child["x-reads"] === "type" && !/\d/.test(textOf(reading?.value));
  return isWord && reading !== null ? { ...reading, sure: false } : reading;
}

/** The advice for a size that stands for a type; null for another value. */
const sizeOf = (child: SchemaNode, value: unknown): string | null =>
  (child["x-reads"] === "type" || typeOf(child) === "integer") && typeof value === "string" ? readSize(value) : null;

/** One value for a map by the names of things: the only type of a cluster is that of all its pools. Null where it is not that. */
function forNames(
  { "x-names": pointer, additionalProperties: inner }: SchemaNode,
  meant: string,
  { parent, value, siblings }: UnknownField,
): string | null {
  if (parent !== "" || siblings[meant] !== undefined) return null;
  if (pointer === undefined || typeof inner !== "object" || !accepts(inner, value)) return null;
  const items = siblings[keysOf(pointer).join()];
  const names = Array.isArray(items) ? items.filter(isObject).map(({ name }) => name) : [];
  const isNamed = names.length > 0 && names.every((name) => typeof name === "string");
  return isNamed ? `write ${assignment(`/${meant}`, Object.fromEntries(names.map((name) => [name, value])))}` : null;
}

/** The schema of a map and of the field of it that is meant, and the reading of the value there. */
interface Meant {
  node: SchemaNode;
  child: SchemaNode;
  reading: Reading | null;
}

/** A correction that writes no value. */
const only = (correction: string): Written => ({ correction, fields: [] });

/** The correction of a value that the field itself does not understand. */
function notRead(limits: boolean, { node, child, reading }: Meant, meant: string, field: UnknownField): Written {
  const pointer = `${field.parent}/${meant}`;
  // An example of limits would replace those that are meant.
  if (limits && isObject(field.value)) return only(`write ${meant}`);
  const foreign = limits ? null : foreignValue(node, meant, field);
  return foreign ?? only(unreadable(pointer, meant, child, reading?.advice));
}

/** The correction of a field that stands for `meant`, without a value that could be written there; null if there is one. */
function withoutValue(limits: boolean, all: Meant, meant: string, field: UnknownField): Written | null {
  const named = forNames(all.child, meant, field);
  if (named !== null) return only(named);
  // A limit is never omitted: it replaces the one that is set.
  const size = sizeOf(all.child, field.value);
  if (size !== null) return only(size);
  if (field.siblings[meant] !== undefined && !limits) return only(`remove it: ${meant} is set as well`);
  const beside = new Set(readWithin(all.node, field.siblings, {}).keys());
  if (contradicts(all.node, meant, beside))
    return only(`remove it: ${(all.child["x-range"] ?? []).join(" and ")} say it`);
  return all.reading?.value === undefined ? notRead(limits, all, meant, field) : null;
}

/** The removal of a field, and the values that are written in its place next to it. */
function moved({ parent, name }: UnknownField, fields: Written["fields"]): PatchOperation[] {
  const path = (key: string): string => `/spec${parent}/${pointerKey(key)}`;
  return [
    { op: "remove", path: path(name) },
    ...fields.map(([key, value]): PatchOperation => ({ op: "add", path: path(key), value })),
  ];
}

const likelyMove = (field: UnknownField, fields: Written["fields"]): Pick<Explanation, "likely"> =>
  fields.length === 0 ? {} : { likely: moved(field, fields) };

/** The correction of a field that stands for `meant`. */
function renamed(limits: boolean, node: SchemaNode, meant: string, field: UnknownField): Explanation {
  const child = childOf(node, meant) ?? {};
  const reading = readAs(child, field.value);
  const detail = reading?.problem === UNFILLED ? `is not a field, and ${UNFILLED}` : "is not a field";
  const told = withoutValue(limits, { node, child, reading }, meant, field);
  if (told !== null) return { detail, correction: told.correction, ...likelyMove(field, told.fields) };
  const correction = `write ${assignment(`/${meant}`, reading?.value)}`;
  const change = moved(field, [[meant, reading?.value]]);
  return { detail, correction, ...(reading?.sure === true ? { patch: change } : { likely: change }) };
}

/** A map of another tool, whose content may be fields of ours: of what has no counterpart here, nothing is. */
const mayHoldFields = (told: string | undefined): boolean =>
  told === undefined || /\bdirectly\b|min and max/.test(told);

/** The advice to write the fields that stand in a map of another tool, and their names; null if it holds none. */
function content(node: SchemaNode, field: UnknownField): Omit<Unknown, "detail"> | null {
  const found = [...readWithin(node, field.value, field.siblings, { read: complete })];
  if (found.length === 0) return null;
  const written = found.map(([name, one]) => assignment(`/${name}`, one));
  return {
    correction: `write ${written.join(" and ")} in its place`,
    likely: moved(field, found),
    meant: found.map(([name]) => name),
  };
}

/** A field of another map that has this very value among its own: `type: premium` is a disk's. */
function hasValue(node: SchemaNode, field: UnknownField): boolean {
  const place = sameName(node, field.name) === undefined ? below(node, field) : null;
  return place?.node.enum !== undefined && accepts(place.node, field.value);
}

/** The fields in a map of another tool; null for a field that has a meaning of its own. */
function held(node: SchemaNode, told: string | undefined, field: UnknownField): ReturnType<typeof content> {
  const isOurs = told === undefined && (sameName(node, field.name) ?? byAlias(node, field.name)) !== undefined;
  return isOurs || !mayHoldFields(told) ? null : content(node, field);
}

/** `cpu:2` within brackets is a name without a value, for want of a space; null for other names. */
export function gluedField(name: string, value: unknown): { correction: string; meant: string[] } | null {
  const glued = (value ?? null) === null ? gluedName(name) : null;
  return glued === null
    ? null
    : { correction: `write a space after the colon: ${glued.name}: ${glued.text}`, meant: [glued.name] };
}

/** Why there is no such field, and which ones may be meant. */
export function explainUnknown(schema: SchemaNode, node: SchemaNode, field: UnknownField): Unknown {
  const { name, value } = field;
  const detail = "is not a field";
  const glued = gluedField(name, value);
  if (glued !== null) return { detail, ...glued };
  const told = name.length > LONGEST_NAME ? "remove it" : instead(node, field);
  const within = held(node, told, field);
  if (within !== null) return { detail, ...within };
  const meant = told === undefined && !hasValue(node, field) ? fieldFor(node, name, value) : null;
  if (meant !== null) return { ...renamed(schema["x-limits"] === true, node, meant, field), meant: [meant] };
  // A field that is missing is not missed where the correction writes it.
  const written = (node.required ?? []).filter((one) => told?.includes(` ${one}: `) === true);
  return { detail, meant: written, correction: told ?? withoutMeaning(schema, node, field) };
}
