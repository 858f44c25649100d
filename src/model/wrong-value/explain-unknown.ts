import { isObject, keysOf, textOf } from "../json.ts";
import { nearest } from "../text/nearest.ts";
import { outside, poolsTold } from "./elsewhere.ts";
import { foreignValue, type Written } from "./foreign-value.ts";
import { gluedField } from "../text/glued-name.ts";
import { held, moved, toldOf, withKey, wordBy } from "./held-fields.ts";
import { besides } from "./lists/first-entries.ts";
import { assignment, type Explanation, wanted } from "./explain-value.ts";
import { forNames } from "./pools/pool-texts.ts";
import { keyCorrection, lostKey } from "./lost-key.ts";
import { below, ofAddresses, type UnknownField, writtenBelow } from "./other-map.ts";
import { readSize } from "./read/read-text.ts";
import { readInUnit } from "./read/read-in-unit.ts";
import { readValue } from "./read/read-value.ts";
import { UNFILLED } from "./placeholder.ts";
import { isMeaningless, lackingNext } from "./fields-within.ts";
import { EACH_PORT, opensPorts } from "./read/firewall-rules.ts";
import { complete } from "./read/read-foreign.ts";
import { byAlias, contradicts, folded, GENERAL, readWithin, sameName } from "./read/read-within.ts";
import { accepts, childOf, FIELD, type Reading, type SchemaNode, typeOf } from "./schema-node.ts";

/** The problem of a field that its map does not have. `meant`: the names of those that may be meant. */
type Unknown = Explanation & { meant: string[] };

/** The field of a map that a name stands for: the same but for its notation, another name of it, or nearly the same name. */
function fieldFor(node: SchemaNode, name: string, value: unknown): string | null {
  const fields = Object.keys(node.properties ?? {}).filter((field) => field !== "global");
  return sameName(node, name) ?? byAlias(node, name, value) ?? nearest(name, fields) ?? nearAlias(node, name, value);
}

/** Shorter names are like too many others. */
const SHORTEST_ALIAS = 6;
/** The field with another name that is nearly this one: `regione` is nearly region. */
function nearAlias(node: SchemaNode, name: string, value: unknown): string | null {
  const all = Object.values(node.properties ?? {}).flatMap(({ "x-aliases": names = [] }) => names);
  const near = nearest(
    name,
    all.filter((one) => one.length >= SHORTEST_ALIAS),
    1,
  );
  return near === null ? null : (byAlias(node, near, value) ?? null);
}

const MOST_LISTED = 12;

/** The advice to write the field into a map of names that the user chooses, as quotas by namespace; null if there is no such map here. */
function mapBeside({ properties = {} }: SchemaNode, { name, value }: UnknownField): string | null {
  const found = Object.entries(properties).find(([, { additionalProperties: inner }]) => {
    return typeof inner === "object" && inner.properties !== undefined && isObject(value);
  });
  return found === undefined ? null : `if ${name} is one of ${found[0]}, write it below ${found[0]}`;
}

const IN_REFERENCE = "; docs/reference/ lists the fields of each kind";
function listed({ properties = {} }: SchemaNode): string {
  const names = Object.keys(properties);
  return names.length <= MOST_LISTED ? `; the fields here are ${names.join(", ")}` : IN_REFERENCE;
}

/** The user has to know that nothing replaces what is removed. */
const removed = (told: string): string =>
  told === IN_REFERENCE ? `remove it, as no field corresponds to it${told}` : `remove it${told}`;

/** Whether a field of this map may be meant as a limit. */
const holdsLimits = (schema: SchemaNode, node: SchemaNode): boolean =>
  schema["x-limits"] === true && node["x-limits"] !== false;

/** The correction of a field that corresponds to none of its map. */
function withoutMeaning(
  schema: SchemaNode,
  node: SchemaNode,
  field: UnknownField,
): Pick<Explanation, "correction" | "likely" | "within"> {
  const place = below(node, field);
  const above = keysOf(field.parent);
  if (place !== null && !above.some((key) => /^\d+$/.test(key))) return writtenBelow(node, place, above, field);
  if (place !== null) return writtenBelow(node, place, [], field);
  return { correction: adviceWithoutMeaning(schema, node, field) };
}

/** The advice for a field that stands directly below spec, or at the top of settings. */
function directly(schema: SchemaNode, name: string, { value }: UnknownField): string {
  if (schema["x-limits"] === true) return "it belongs directly at the top";
  const meant = complete(schema.properties?.[name] ?? {}, value);
  return meant === undefined
    ? `write ${name} directly below spec`
    : `write ${assignment(`/${name}`, meant)} directly below spec`;
}

/** The advice for a field that corresponds to none of this kind. */
function adviceWithoutMeaning(schema: SchemaNode, node: SchemaNode, field: UnknownField): string {
  // The name of a port is none of the machine.
  const alias = field.name.length > GENERAL ? byAlias(schema, field.name, field.value) : undefined;
  const above = node === schema ? undefined : (sameName(schema, field.name) ?? alias);
  if (above !== undefined && above !== "global" && (schema["x-limits"] !== true || above === field.name))
    return directly(schema, above, field);
  if (!holdsLimits(schema, node)) return removed(listed(node));
  return `${mapBeside(node, field) ?? "write another name, or it limits nothing"}${listed(node)}`;
}

/** The correction of a field that stands for `meant`, with a value that it does not take. */
function unreadable(pointer: string, meant: string, child: SchemaNode, advice: string | undefined): string {
  const isOfKey = child["x-reads"] === "ssh-key";
  if (advice?.includes(FIELD) === true) return advice.replaceAll(FIELD, `${meant}: `);
  if (advice === undefined) return isOfKey ? keyCorrection() : `write ${wanted(pointer, child)}`;
  // It names the fields itself.
  if (/^write \w{1,40}: /.test(advice) || advice.startsWith(`write one, e.g. ${meant}: `)) return advice;
  if (advice.startsWith("omit ")) return `remove it: ${advice}`;
  return isOfKey ? keyCorrection(advice) : `write ${meant}; ${advice}`;
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
  const isTotal = child["x-reads"] === "price" && typeof field.value !== "object";
  const foreign = limits || isTotal ? null : foreignValue(node, meant, field);
  const isOpening = opensPorts(child) && typeof field.value === "object";
  return foreign ?? only(isOpening ? EACH_PORT : unreadable(pointer, meant, child, reading?.advice));
}

/** The correction of a field that stands for `meant`, without a value that could be written there; null if there is one. */
function withoutValue(limits: boolean, all: Meant, meant: string, field: UnknownField): Written | null {
  const named = forNames(all.node, meant, field);
  if (named !== null) return only(named);
  // A limit is never omitted: it replaces the one that is set.
  const size = sizeOf(all.child, field.value);
  if (size !== null) return only(size);
  if (field.siblings[meant] !== undefined && !limits) return besides(all.node, meant, field);
  const beside = new Set(readWithin(all.node, field.siblings, {}).keys());
  if (contradicts(all.node, meant, beside))
    return only(`remove it: ${(all.child["x-range"] ?? []).join(" and ")} say it`);
  return all.reading?.value === undefined ? notRead(limits, all, meant, field) : null;
}

const likelyMove = (field: UnknownField, { fields, inFront }: Written): Pick<Explanation, "likely" | "inFront"> =>
  inFront === undefined
    ? fields.length === 0
      ? {}
      : { likely: moved(field, fields) }
    : { likely: moved(field, fields), inFront };

/** The correction that writes a value. User data is long, and may hold secrets: it is not repeated. */
const writtenFor = (child: SchemaNode, meant: string, { name }: UnknownField, reading: Reading | null): string =>
  child["x-structure"] === undefined
    ? reading?.advice?.includes(FIELD) === true
      ? reading.advice.replaceAll(FIELD, `${meant}: `)
      : `write ${assignment(`/${meant}`, reading?.value)}`
    : `write ${meant} in place of ${name}, with the same text`;

/** Whether a text has a problem of its own that its correction does not show. */
const isTold = (child: SchemaNode, { value }: UnknownField, reading: Reading | null): boolean =>
  reading?.problem === UNFILLED ||
  (child["x-reads"] === "ssh-key" &&
    typeof value === "string" &&
    reading?.value === undefined &&
    reading?.problem !== undefined);

function detailOf(child: SchemaNode, field: UnknownField, reading: Reading | null): string {
  const unlike = Object.entries(child["x-unlike"] ?? {}).find(([name]) => folded(name) === folded(field.name))?.[1];
  const more = isTold(child, field, reading) ? reading?.problem : unlike;
  return more === undefined ? "is not a field" : `is not a field, and ${more}`;
}

/** The correction of a field that stands for `meant`. */
function renamed(limits: boolean, node: SchemaNode, meant: string, field: UnknownField): Explanation {
  const child = childOf(node, meant) ?? {};
  const reading = readInUnit(child, field) ?? readAs(child, field.value);
  const detail = detailOf(child, field, reading);
  const told = withoutValue(limits, { node, child, reading }, meant, field);
  if (told !== null) return { detail, correction: told.correction, ...likelyMove(field, told) };
  const beside = lackingNext(node, child, field);
  const correction = [writtenFor(child, meant, field, reading), ...beside.map(([name, one]) => `${name}: ${one}`)].join(
    " and ",
  );
  const change = moved(field, [[meant, reading?.value], ...beside]);
  return { detail, correction, ...(reading?.sure === true ? { patch: change } : { likely: change }) };
}

/** A field of another map that has this very value among its own: `type: premium` is a disk's. */
function hasValue(node: SchemaNode, field: UnknownField): boolean {
  const place = sameName(node, field.name) === undefined ? below(node, field) : null;
  return place?.node.enum !== undefined && accepts(place.node, field.value);
}

/** The correction of a schema's text, and the change where it writes one word, or what stands outside of a list. */
function toldBy(node: SchemaNode, correction: string, field: UnknownField): Explanation {
  const detail = "is not a field";
  const pools = / nodePools: \[/.test(correction) ? poolsTold(node, field) : null;
  if (pools !== null)
    return {
      ...{ detail, correction, likely: moved(field, [[pools.list, pools.pools]]) },
      ...(pools.lacking.length > 1 ? { examples: [pools.list] } : {}),
    };
  const others = outside(node, field);
  if (others.length > 0) return { detail, correction, likely: [...moved(field, []), ...others] };
  const likely = wordBy(node, correction, field);
  return { detail, correction, ...(likely === undefined ? {} : { likely }) };
}

/** The field that a name stands for, unless no part of its value can be meant there: `type: batch`, and `strategy: {matrix: …}`. */
function fieldOf(node: SchemaNode, { name, value }: UnknownField): string | null {
  const meant = fieldFor(node, name, value);
  if (meant === null || sameName(node, name) !== undefined) return meant;
  return isMeaningless(childOf(node, meant) ?? {}, name, value) ? null : meant;
}

/** Why there is no such field, and which ones may be meant. */
export function explainUnknown(schema: SchemaNode, node: SchemaNode, field: UnknownField): Unknown {
  const { name, value } = field;
  const detail = "is not a field";
  const glued = gluedField(name, value);
  if (glued !== null) return { detail, ...glued };
  const addresses = ofAddresses(node, field);
  if (addresses !== null) return { detail, ...addresses };
  const told = toldOf(node, field);
  const within = withKey(held(node, told, field), lostKey(node, field), node, field);
  if (within !== null) return { detail, ...within };
  const meant = told === undefined && !hasValue(node, field) ? fieldOf(node, field) : null;
  if (meant !== null) return { ...renamed(schema["x-limits"] === true, node, meant, field), meant: [meant] };
  // A field that is missing is not missed where the correction writes it.
  const written = (node.required ?? []).filter((one) => told?.includes(` ${one}: `) === true);
  return {
    detail,
    meant: written,
    ...(told === undefined ? withoutMeaning(schema, node, field) : toldBy(node, told, field)),
  };
}
