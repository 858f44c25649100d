import { isObject, ownValue, textOf } from "../../json.ts";
import { accepts, childOf, type Reading, type SchemaNode, surely, typeOf } from "../schema-node.ts";
import { isFunction, isOpen, isPlaceholder, UNFILLED } from "../placeholder.ts";
import { pairOf, readMount, readMounts, readPortText, readWord, tidyText } from "./short-forms.ts";
import { readInteger } from "./read-number.ts";
import { readString } from "./read-string.ts";
import { readSwitch } from "./read-switch.ts";
import { table } from "../../table.ts";
import { EXCLUDING, readExcludedAreas } from "../texts/excluded-areas.ts";

/** The values that are understood, or null if one of them is not: nothing after it is read. */
function readAll(node: SchemaNode, values: readonly unknown[]): Reading | null {
  const found: Reading[] = [];
  for (const value of values) {
    const one = readValue(node, value);
    if (one?.value === undefined) return null;
    found.push(one);
  }
  return { value: found.map(({ value }) => value), sure: found.every(({ sure }) => sure === true) };
}

/** A list or map that says nothing, so that it stands for none of the other type. */
const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;

/** Whether any text is a value: the schema sets no form. */
const isAnyText = (node: SchemaNode): boolean =>
  typeOf(node) === "string" &&
  [node.pattern, node.enum, node.format, node["x-reads"]].every((one) => one === undefined);

/** Items in one text; null if they are not read. A sentence is one item where any text is. */
function readItems(items: SchemaNode, text: string): Reading | null {
  const between = isAnyText(items) ? /[,;\n]/ : /[,;\s]/;
  if (!between.test(text.trim())) return null;
  const words = text.split(between).map((word) => word.trim());
  const named = words.filter((word) => word !== "" && !/^(?:and|or)$/i.test(word));
  return readAll(items, named);
}

/** A single item without its list, items in one text, or a map of items by their names. */
function readList({ items = {} }: SchemaNode, value: unknown): Reading | null {
  if (isEmpty(value)) return null;
  const excluding = items["x-reads"] === "area" ? readExcludedAreas(value) : null;
  return (
    excluding ?? (Array.isArray(value) ? (readAll(items, value) ?? readMounts(items, value)) : asList(items, value))
  );
}

/** A value that is not a list, as one. */
function asList(items: SchemaNode, value: unknown): Reading | null {
  const several = typeof value === "string" ? readItems(items, value) : null;
  const found = several ?? readAll(items, [value]) ?? (isObject(value) ? readNamed(items, value) : null);
  return found === null ? null : { ...found, problem: "is not a list" };
}

/** Names of how many there are. */
const COUNTING = /^(?:count|number|num|size|amount|min|max|total|quantity)/i;

/** The items of a map by their names, or of all lists in it; null where some are not wanted. */
function readNamed(items: SchemaNode, value: Record<string, unknown>): Reading | null {
  if (Object.keys(value).some((name) => EXCLUDING.test(name) || COUNTING.test(name))) return null;
  return readAll(items, typeOf(items) === "object" ? named(items, value) : Object.values(value).flat());
}

/** `{main: {cpu: 4}}`, and of taints `{gpu: NoSchedule}`. */
const named = (node: SchemaNode, items: Record<string, unknown>): unknown[] =>
  Object.entries(items).map(([name, item]) => {
    if (isObject(item)) return { name, ...item };
    const bare = node["x-bare"];
    if (bare !== undefined && childOf(node, "name") !== undefined)
      return { name: meantIn(node, "name", name) ?? name, [bare]: meantIn(node, bare, item) ?? item };
    return childOf(node, "effect") === undefined ? item : { key: name, effect: item };
  });

/** A port as text, `key=value:NoSchedule`, `team=web`. */
function readMapText(node: SchemaNode, text: string): Reading | null {
  const port = childOf(node, "port") === undefined ? null : readPortText(text);
  if (port !== null) return port;
  const [, key, value, effect] = /^([^=:\s]{1,80})[=:] ?([^:\s]{0,80})(?::(\w{1,20}))?$/.exec(text) ?? [];
  if (key === undefined) return null;
  // Of a taint without an effect, NoSchedule is the usual one.
  if (effect === undefined && node.properties?.["effect"] !== undefined)
    return { value: { key, value, effect: "NoSchedule" } };
  return { value: effect === undefined ? { [key]: value } : { key, value, effect }, sure: true };
}

/** A bare value that stands for a map, or a map in another notation. */
function readMap(node: SchemaNode, value: unknown): Reading | null {
  if (isEmpty(value)) return null;
  if (isObject(value) && isFree(node)) return tidiedNames(node, value);
  const problem = "is not a map";
  const found = mapFor(node, value);
  if (found === null) return null;
  if (found.value === undefined || accepts(node, found.value)) return { ...found, problem };
  const named = isObject(found.value) ? tidiedNames(node, found.value) : null;
  return named === null ? null : { ...named, problem };
}

/** Whether a value can be meant for no other field of a map than for this one. */
const isOnly = ({ properties = {}, required = [] }: SchemaNode, field: string, value: unknown): boolean =>
  required.includes(field) || Object.entries(properties).every(([name, one]) => name === field || !accepts(one, value));

/** The fields that a map must have besides the one that a bare value stands for. */
const unsetOf = ({ "x-unset": unset, required = [] }: SchemaNode): Record<string, unknown> =>
  required.length > 1 && isObject(unset) ? unset : {};

/** `data:100` and `data=100Gi` of a disk: its name, and the value that it stands for. Null for other texts. */
function readNamedText(node: SchemaNode, bare: string, text: unknown): Reading | null {
  const [, name, rest] = /^([a-z][\w-]{0,40})[:=] ?(\S{1,20})$/i.exec(typeof text === "string" ? text : "") ?? [];
  const isNamed = name !== undefined && childOf(node, "name") !== undefined;
  const map = isNamed ? { name: meantIn(node, "name", name), [bare]: meantIn(node, bare, rest) } : {};
  return accepts(node, map) && isNamed ? { value: map } : null;
}

const meantIn = (node: SchemaNode, field: string, value: unknown): unknown =>
  readValue(childOf(node, field) ?? {}, value)?.value;

function mapFor(node: SchemaNode, value: unknown): Reading | null {
  const bare = node["x-bare"];
  const word = bare === undefined ? null : readBare(node, bare, value);
  return word ?? readMount(node, value) ?? readWord(node, value) ?? mapOfParts(node, value);
}

/** The map that a bare value stands for; null if it stands for none. */
function readBare(node: SchemaNode, bare: string, value: unknown): Reading | null {
  const child = childOf(node, bare);
  const inner = child === undefined ? null : readValue(child, value);
  if (inner?.value === undefined) return readNamedText(node, bare, value);
  return {
    value: { ...unsetOf(node), [bare]: inner.value },
    sure: inner.sure === true && isOnly(node, bare, inner.value),
  };
}

/** A map in one text, or in the parts of a list. */
function mapOfParts(node: SchemaNode, value: unknown): Reading | null {
  if (typeof value === "string") return isFree(node) ? readPairs(node, value.split(/, ?/)) : readMapText(node, value);
  return Array.isArray(value) ? readPairs(node, value) : null;
}

/** A map of names that the user chooses, as of tags and labels. */
const isFree = ({ properties, additionalProperties }: SchemaNode): boolean =>
  properties === undefined && typeof additionalProperties === "object";

/** A map of names with names and values that it takes: `{Team: Web App}` as `{team: web-app}`. Null for others, and if two names became one. */
function tidiedNames(node: SchemaNode, map: Record<string, unknown>): Reading | null {
  const name = { ...node.propertyNames, type: "string", "x-reads": "name" };
  const read = Object.entries(map).map(([key, one]) => [
    readValue(name, key)?.value,
    readValue(childOf(node, key) ?? {}, one)?.value,
  ]);
  const isKnown = isFree(node) && read.flat().every((one) => one !== undefined);
  const meant = isKnown ? (Object.fromEntries(read) as Record<string, unknown>) : {};
  return isKnown && Object.keys(meant).length === read.length && accepts(node, meant) ? { value: meant } : null;
}

/** One map of the maps and of texts like `team=web`. */
function readPairs(node: SchemaNode, values: readonly unknown[]): Reading | null {
  const parts = values.map((one) => {
    if (isObject(one)) return isFree(node) ? pairOf(one) : one;
    return typeof one === "string" ? readMapText(node, one)?.value : null;
  });
  if (!parts.every(isObject)) return null;
  const keys = parts.flatMap(Object.keys);
  // One of two values of the same key would be lost.
  return new Set(keys).size === keys.length ? { value: Object.assign({}, ...parts) as unknown, sure: true } : null;
}

type Read = (node: SchemaNode, value: unknown) => Reading | null;

const BY_TYPE: Readonly<Record<string, Read>> = table({
  integer: readInteger,
  number: readInteger,
  string: readString,
  boolean: readSwitch,
  array: readList,
  object: readMap,
});

/** Stands for each text in the corrections of a schema. */
const ANY_TEXT = "<text>";

/** The schema's correction of this value. */
function adviceFor({ "x-instead": instead = {} }: SchemaNode, value: unknown): string | undefined {
  if (!["string", "boolean", "number"].includes(typeof value)) return undefined;
  const name = textOf(value).trim().toLowerCase();
  return ownValue(instead, name) ?? (typeof value === "string" ? ownValue(instead, ANY_TEXT) : undefined);
}

const LONGEST = 120;
/** Whether a text was not filled in, although the field takes it: a longer one can be a script with variables of its own. */
const isLeftOpen = (node: SchemaNode, value: unknown): boolean =>
  typeof value === "string" && value.length <= LONGEST && isOpen(value, node["x-free"]);

/** A text as it is read without what another notation left at its end; null for other texts, and where that is not understood either. */
function readTidied(node: SchemaNode, text: unknown): Reading | null {
  if (typeof text !== "string" || typeOf(node) === "array") return null;
  const tidied = tidyText(text, node.enum !== undefined || typeOf(node) !== "string");
  const found = tidied === null ? null : readValue(node, tidied.text);
  return tidied === null || found?.value === undefined ? null : { ...found, problem: tidied.problem };
}

/** A value that the field does not take. */
function readWrong(node: SchemaNode, value: unknown): Reading | null {
  if (typeof value === "string" && isPlaceholder(value)) return { problem: UNFILLED };
  return readTidied(node, value) ?? readOther(node, value);
}

/** A value by its type, with the schema's own correction. */
function readOther(node: SchemaNode, value: unknown): Reading | null {
  const [instead, found] = [adviceFor(node, value), BY_TYPE[typeOf(node) ?? ""]?.(node, value) ?? null];
  if (instead === undefined) return found;
  // `write interruptible: {}` says the value as well.
  const meant = /^write \w{1,40}: \{\}$/.test(instead) ? { value: {} } : {};
  return { ...(found?.problem === undefined ? {} : { problem: found.problem }), advice: instead, ...meant };
}

/** How a value that a part of the schema does not accept can be understood; null if it cannot. */
export function readValue(node: SchemaNode, value: unknown): Reading | null {
  if (value === null || value === undefined) return null;
  if (isLeftOpen(node, value) || isFunction(value)) return { problem: UNFILLED };
  return accepts(node, value) ? surely(value) : readWrong(node, value);
}
