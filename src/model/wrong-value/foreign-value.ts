import { isObject, textOf } from "../json.ts";
import { aboutAll, besideItems } from "./elsewhere.ts";
import { areExamples, assignment, type Explanation, explainValue, given } from "./explain-value.ts";
import type { UnknownField } from "./other-map.ts";
import { type Foreign, readForeign } from "./read/read-foreign.ts";
import { byAlias, contradicts, folded, readWithin, roundedIn, sameName } from "./read/read-within.ts";
import { readValue } from "./read/read-value.ts";
import { childOf, type SchemaNode, typeOf } from "./schema-node.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The numbers next to a map that belong into it: the count of nodes next to `node_config`. */
function numbersBeside(item: SchemaNode, { properties = {} }: SchemaNode, siblings: Fields): Fields {
  const others = Object.entries(siblings).filter(([name, one]) => properties[name] === undefined && !isObject(one));
  return Object.fromEntries(
    [...readWithin(item, Object.fromEntries(others), {})].filter(([, one]) => typeof one === "number"),
  );
}

/** The value of another tool's map or list, with the numbers next to a map that is the only one. */
function whole(node: SchemaNode, child: SchemaNode, { value, siblings }: UnknownField): unknown {
  const isAlone = child.items?.properties !== undefined && isObject(value) && !Object.values(value).every(isObject);
  return isAlone ? { ...numbersBeside(child.items ?? {}, node, siblings), ...value } : value;
}

/** Whether another tool marks an item of a list as the one that a field takes; undefined if it says nothing of that. */
function isMarked({ "x-marks": marks = {} }: SchemaNode, item: unknown): boolean | undefined {
  const entries = isObject(item) ? Object.entries(item) : [];
  const said = Object.entries(marks).flatMap(([name, values]) =>
    entries.filter(([key]) => folded(key) === folded(name)).map(([, one]) => values.includes(textOf(one))),
  );
  return said.length === 0 ? undefined : said.includes(true);
}

/** The parts of another tool's list: the item that a field takes, and those that another field takes. */
interface Parts {
  own: readonly unknown[];
  rest: readonly unknown[];
}

/** The first disk of a machine is its system's, unless its device says otherwise. Null for a field that takes no such list. */
function partsOf(child: SchemaNode, value: unknown): Parts | null {
  const items = Array.isArray(value) ? (value as unknown[]) : isMarked(child, value) === false ? [value] : null;
  if (child["x-rest"] === undefined || items === null) return null;
  const marks = items.map((one) => isMarked(child, one));
  if (marks.length > 0 && marks.every((one) => one === false)) return { own: [], rest: items };
  const first = Math.max(0, marks.indexOf(true));
  return { own: items.slice(first, first + 1), rest: items.filter((_one, index) => index !== first) };
}

/** The fields that a value in the words of another tool becomes; null if it is not understood. */
function fieldsOf(node: SchemaNode, meant: string, value: unknown): (readonly [string, Foreign])[] | null {
  const child = childOf(node, meant) ?? {};
  const parts = partsOf(child, value);
  const { "x-rest": other = "" } = child;
  const all: (readonly [string, unknown])[] =
    parts === null
      ? [[meant, value]]
      : [
          ...(parts.own.length === 0 ? [] : [[meant, parts.own] as const]),
          ...(parts.rest.length === 0 ? [] : [[other, parts.rest] as const]),
        ];
  const found = all.map(([name, one]) => [name, readForeign(childOf(node, name) ?? {}, one)] as const);
  const isRead = (one: readonly [string, Foreign | null]): one is readonly [string, Foreign] => one[1] !== null;
  return found[0] !== undefined && isRead(found[0]) ? found.filter(isRead) : null;
}

/** More would hide the correction. */
const MOST_LEFT = 4;

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** The fields of another tool's map or list that become none of ours. */
function lostIn(node: SchemaNode, values: readonly Fields[], known: readonly string[]): [string, unknown][] {
  const entries = values
    .flatMap((one) => Object.entries(one))
    .filter(([name, one]) => !known.includes(folded(name)) && !isEmpty(one));
  return entries.filter(([name, one]) => {
    const own = { [name]: one };
    return readForeign({ ...node, required: [] }, own) === null && besideItems(node, [own]).length === 0;
  });
}

/** `; mode and ssh have no counterpart` after a correction; nothing if all have one. */
function noCounterpart(names: readonly string[]): string {
  const listed = `${names.slice(0, MOST_LEFT).join(", ")}${names.length > MOST_LEFT ? " and others" : ""}`;
  return names.length === 0 ? "" : `; ${listed} ${names.length === 1 ? "has" : "have"} no counterpart`;
}

/** `; min and max replace desiredCapacity` for numbers of maps that say their range as well; nothing without any. */
export function replacedBy(node: SchemaNode, values: readonly Fields[]): string {
  const texts = values.flatMap((one) => {
    const names = new Map(Object.keys(one).map((name) => [name, sameName(node, name) ?? byAlias(node, name)]));
    const within = readWithin(node, one, {}, { isOwn: true }).keys();
    const meant = new Set([...names.values(), ...within].filter((name) => name !== undefined));
    return [...names].flatMap(([name, field = ""]) => {
      const range = childOf(node, field)?.["x-range"] ?? [];
      return contradicts(node, field, meant) ? [`; ${range.join(" and ")} replace ${name}`] : [];
    });
  });
  return [...new Set(texts)].join("");
}

/** The end of a correction for fields of another tool's map that it omits: `; as diskGiB, 30 is less than 32: write 32 or more` for a number that its field does not take. */
export function withoutValues(node: SchemaNode, lost: readonly (readonly [name: string, value: unknown])[]): string {
  const told = lost.map(([name, value]) => [name, unread(node, name, value)] as const);
  const texts = told.flatMap(([, text]) => text ?? []);
  const silent = told.flatMap(([name, text]) => (text === null ? [name] : []));
  return [...new Set(texts)].join("") + noCounterpart([...new Set(silent)]);
}

function unread(node: SchemaNode, name: string, value: unknown): string | null {
  const field = sameName(node, name) ?? byAlias(node, name);
  const child = field === undefined ? undefined : childOf(node, field);
  if (field === undefined || child === undefined || typeOf(child) !== "integer" || typeof value === "object")
    return null;
  // A word is none of a number: `size: s-2vcpu-2gb` is a type.
  if (!/^-?\d/.test(textOf(value)) || readValue(child, value)?.value !== undefined) return null;
  const { detail, correction } = explainValue(`/${field}`, child, value);
  return `; as ${field},${given(`/${field}`, value)} ${detail}: ${correction}`;
}

/** The end of a correction that leaves fields out: the user should know. */
function leftOut(
  node: SchemaNode,
  value: unknown,
  marks: SchemaNode["x-marks"] = {},
  items?: Foreign["items"],
): string {
  const item = node.items ?? node;
  if (item.properties === undefined) return "";
  const known = ["name", ...Object.keys(marks).map(folded)];
  const maps = items ?? [value].flat().filter(isObject);
  const rounded = new Set(maps.map((one) => roundedIn(item, one)));
  return [...rounded].join("") + replacedBy(item, maps) + withoutValues(item, lostIn(item, maps, known));
}

/** Of a field that holds another tool's map, the image or the system that the map names as well: a boot disk is made of one. */
function imageWithin(node: SchemaNode, meant: string, { value, siblings }: UnknownField): Assigned[] {
  const names = Object.entries(node.properties ?? {}).filter(([, { "x-reads": reads }]) =>
    IMAGES.includes(reads ?? ""),
  );
  const isSet = names.some(([name]) => name === meant || siblings[name] !== undefined);
  return isSet || !isObject(value) ? [] : [...readWithin({ properties: Object.fromEntries(names) }, value, siblings)];
}
const IMAGES = ["image", "system"];

type Assigned = readonly [name: string, value: unknown];

/** A correction, and the fields that it writes. */
export interface Written {
  correction: string;
  fields: readonly Assigned[];
  inFront?: Explanation["inFront"];
}

/** The fields that another tool's map or list becomes, and the end of the correction that writes them. */
interface Becomes {
  fields: readonly Assigned[];
  /** The items of the list that is meant, in the tool's words. */
  items: readonly Fields[];
  /** The names of examples, and of what has no counterpart. */
  end: string;
}

/** The parts of a map or list in the words of another tool; null if it is not understood. */
export function foreignParts(node: SchemaNode, meant: string, field: UnknownField): Becomes | null {
  const child = childOf(node, meant) ?? {};
  const all = fieldsOf(node, meant, whole(node, child, field));
  if (all === null) return null;
  const beside = all.flatMap(([name, one]) => besideItems(childOf(node, name)?.items ?? {}, one.items ?? []));
  const own = all.map(([name, one]) => [name, one.value] as const);
  const lacking = new Set(all.flatMap(([, one]) => one.lacking));
  // The types say how much a node has, and an example can be more.
  const sizes = beside.length > 0 && lacking.has("cpu") ? ": write what the type has" : "";
  const left = new Set(
    all.map(([name, { items }]) => leftOut(childOf(node, name) ?? {}, field.value, child["x-marks"], items)),
  );
  return {
    fields: [...own, ...imageWithin(node, meant, field), ...beside],
    items: all[0]?.[1].items ?? [],
    end: `${areExamples([...lacking])}${sizes}${[...left].join("")}`,
  };
}

/** The correction of a map or list in the words of another tool; null if it is not understood. */
export function foreignValue(node: SchemaNode, meant: string, field: UnknownField): Written | null {
  const parts = foreignParts(node, meant, field);
  const told = parts === null ? aboutAll(childOf(node, meant) ?? {}, field.value) : undefined;
  if (parts === null) return told === undefined ? null : { correction: told, fields: [] };
  const written = parts.fields.map(([name, one]) => assignment(`/${name}`, one));
  return { correction: `write ${written.join(" and ")}${parts.end}`, fields: parts.fields };
}

/** The correction of a field of ours that holds a map or list in the words of another tool. */
export function writtenAlone(
  node: SchemaNode,
  name: string,
  { value, found }: { value: unknown; found: Foreign },
): Written {
  const fields: Assigned[] = [[name, found.value], ...besideItems(node.items ?? {}, found.items ?? [])];
  const written = fields.map(([key, one]) => assignment(`/${key}`, one)).join(" and ");
  const end = areExamples(found.lacking) + leftOut(node, value, node["x-marks"], found.items);
  return { correction: `write ${written}${end}`, fields };
}
