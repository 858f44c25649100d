import { parse } from "yaml";
import { SCHEMAS } from "../../src/admission/check/schema-denials.ts";
import type { Denial } from "../../src/model/decision.ts";
import { KUBERNETES_YAML } from "../../src/model/formats/kubernetes-yaml.ts";
import { isObject, keysOf, pointerTo } from "../../src/model/json.ts";
import type { Kind } from "../../src/model/names.ts";
import { dotted, nodeAt, valueAt } from "../../src/model/wrong-value/schema-node.ts";

/** A list or a map at the beginning of a text, to its last bracket. */
function bracketsAt(text: string): string {
  let depth = 0;
  let isQuoted = false;
  for (const [index, letter] of [...text].entries()) {
    if (letter === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    depth += "[{".includes(letter) ? 1 : "]}".includes(letter) ? -1 : 0;
    if (depth === 0) return [...text].slice(0, index + 1).join("");
  }
  return "";
}

/** A value of YAML's flow notation at the beginning of a text: a list, a map, a text in quotes, or a word. */
function flowAt(text: string): string {
  const [quoted] = /^"(?:[^"\\]|\\.)*"/.exec(text) ?? [];
  if (quoted !== undefined) return quoted;
  return /^[[{]/.test(text) ? bracketsAt(text) : (/^[^\s;]+/.exec(text)?.[0] ?? "").replace(/,$/, "");
}

const read = (text: string): unknown => parse(text, KUBERNETES_YAML);

/** A value that a text says to write. */
interface Written {
  /** The name of the field; null for the field that the text is about. */
  name: string | null;
  value: unknown;
  /** Whether the value holds entries that come before those of the list. */
  inFront?: boolean;
}

/** The text with dots in place of what stands in brackets and quotes, so that its own words can be told from those of a value. */
function withoutValues(text: string): string {
  let rest = text;
  let plain = "";
  while (rest !== "") {
    const value = /^["[{]/.test(rest) ? flowAt(rest) : "";
    plain += value === "" ? rest.slice(0, 1) : `${rest.slice(0, 1)}${".".repeat(value.length - 1)}`;
    rest = rest.slice(Math.max(1, value.length));
  }
  return plain;
}

/** A field with its value: `memory: 4` after "write", "e.g.", "and", "or" or the words for its unit. */
const FIELD = /(?<=^write |[:,] (?:write )?|e\.g\. |and (?:write )?|or )([A-Za-z][\w-]*): (?=["[{\w])/g;

/** The entries that a text puts before those of a list, and where it has named them. */
function firstEntries(remedy: string): { written: Written[][]; end: number } {
  const [head = "", name = ""] = /^write (?:it|them) as the first entr(?:y|ies) of (\w+): /.exec(remedy) ?? [];
  if (head === "") return { written: [], end: -1 };
  const entries: unknown[] = [];
  let end = head.length;
  for (let text = flowAt(remedy.slice(end)); text.startsWith("{"); text = flowAt(remedy.slice(end + 2))) {
    end += (entries.length === 0 ? 0 : ", ".length) + text.length;
    entries.push(read(text));
  }
  return { written: [[{ name, value: entries, inFront: true }]], end };
}

/** Fields with values. Those joined by "and" are written together; others are alternatives. One that is removed first has no value. */
function namedIn(remedy: string): Written[][] {
  const first = firstEntries(remedy);
  const [removal, removed = null] = /^remove (\w+) and write /.exec(remedy) ?? [];
  const all: Written[][] = removal === undefined ? first.written : [[{ name: removed, value: undefined }]];
  let end = removal === undefined ? first.end : "remove".length;
  for (const { 0: whole, 1: name = "", index } of withoutValues(remedy).matchAll(FIELD)) {
    const text = flowAt(remedy.slice(index + whole.length));
    const written = { name, value: read(text) };
    if (end >= 0 && /^(?: \w+)?,? and (?:write )?$/.test(remedy.slice(end, index))) all.at(-1)?.push(written);
    else all.push([written]);
    end = index + whole.length + text.length;
  }
  return all;
}

/** `write 3h for hours or 3m for minutes`, `write 1 or more`, `write EU`, `…, e.g. IT`: values without their field. */
function bareIn(remedy: string): Written[][] {
  const [, one, other] =
    /^(?:write|put the \w+ in quotes:) (\S+)(?: for \w+)? or (\S+?)(?: for \w+)?$/.exec(remedy) ?? [];
  const [, only = ""] = /(?:^write|, e\.g\.) ([^,;]+|[[{].*)$/.exec(remedy) ?? [];
  const texts = one === undefined ? [only] : [one, other ?? ""].filter((word) => word !== "more" && word !== "less");
  return texts
    .filter((text) => text !== "" && flowAt(text) === text)
    .map((text) => [{ name: null, value: read(text) }]);
}

/** Each of the values that a correction spells out, with what is written together; no value for a field to be removed. Empty for a correction in other words. */
export function valuesIn(remedy: string): Written[][] {
  if (/^(?:remove it|omit the field)\b/.test(remedy)) return [[{ name: null, value: undefined }]];
  const [, omitted] = /^omit (\w+)/.exec(remedy) ?? [];
  if (omitted !== undefined) return [[{ name: omitted, value: undefined }]];
  const named = namedIn(remedy);
  const all = named.length > 0 ? named : bareIn(remedy);
  // A key with an ellipsis stands for a longer one, and `<GiB>` for a number.
  return all.filter((written) => !/…|<\w+>/.test(JSON.stringify(written)));
}

/** `spec.ports[0].port` as `/ports/0/port`. A key of the user's own may hold dots: it is the last one that the spec has. */
function pointerOf(field: string, spec: unknown): string {
  const keys = field.replace(/^spec\.?/, "").match(/[^.[\]]+/g) ?? [];
  for (let count = keys.length; count > 0; count -= 1) {
    const [head, tail] = [pointerTo(keys.slice(0, count - 1)), keys.slice(count - 1).join(".")];
    const holder = valueAt(spec, head);
    if (isObject(holder) && Object.hasOwn(holder, tail)) return `${head}${pointerTo([tail])}`;
  }
  return pointerTo(keys);
}

/** The spec with another value at a place; undefined removes what is there. */
function put(spec: unknown, pointer: string, value: unknown): void {
  const keys = keysOf(pointer);
  const [holder, last] = [valueAt(spec, pointerTo(keys.slice(0, -1))), keys.at(-1) ?? ""];
  if (Array.isArray(holder)) holder.splice(Number(last), 1, ...(value === undefined ? [] : [value]));
  else if (isObject(holder) && value === undefined) Reflect.deleteProperty(holder, last);
  else if (isObject(holder)) holder[last] = value;
}

/** The place of the nearest map, from this one upwards, whose schema has a field of the name; null if none has. */
function placeFor(kind: Kind, pointer: string, name: string): string | null {
  const keys = keysOf(pointer);
  for (let count = keys.length; count >= 0; count -= 1) {
    const above = pointerTo(keys.slice(0, count));
    const { properties, additionalProperties } = nodeAt(SCHEMAS[kind], above);
    const isFree = properties === undefined && typeof additionalProperties === "object";
    if (isFree || Object.hasOwn(properties ?? {}, name)) return `${above}${pointerTo([name])}`;
  }
  return null;
}

const together = (before: unknown, value: unknown): unknown =>
  isObject(before) && isObject(value) ? { ...before, ...value } : value;

/** The key of a map that a message is about. */
const keyIn = (message: string): string | undefined => /has the key "([^"]*)"/.exec(message)?.[1];

const isWithin = (at: string | null, pointer: string): boolean =>
  at === pointer || at?.startsWith(`${pointer}/`) === true;

/** The spec after one does what a denial says, and the fields that were written; null if the text names a field that there is not. */
export function followed(
  kind: Kind,
  spec: unknown,
  { field, message, remedy }: Denial,
  all: readonly Written[],
): { spec: unknown; fields: string[] } | null {
  const pointer = pointerOf(field ?? "", spec);
  if (pointer === "") return { spec: all[0]?.value, fields: ["spec"] };
  const changed = structuredClone(spec);
  const [own, key] = [keysOf(pointer).at(-1), keyIn(message)];
  const isElsewhere = / below spec\b/.test(remedy);
  const isOwn = (name: string | null): boolean => name === null || (name === own && key === undefined && !isElsewhere);
  const places = all.map(({ name, value, inFront = false }) => ({
    value,
    inFront,
    at: isOwn(name) ? pointer : placeFor(kind, pointer, name ?? ""),
  }));
  const isMoved = !places.some(({ at }) => isWithin(at, pointer));
  if (isMoved) put(changed, pointer, undefined);
  if (key !== undefined) put(changed, `${pointer}${pointerTo([key])}`, undefined);
  for (const { at, value, inFront } of places) {
    if (at === null) return null;
    if (inFront) put(changed, at, [value, valueAt(changed, at)].flat());
    else put(changed, at, at === pointer ? value : together(valueAt(changed, at), value));
  }
  const fields = places.flatMap(({ at, value, inFront }) => {
    const field = `spec${dotted(at ?? "")}`;
    // Another item has the place of one that is removed.
    if (value === undefined && /\[\d+\]$/.test(field)) return [];
    return inFront && Array.isArray(value) ? value.map((_one, index) => `${field}[${String(index)}]`) : [field];
  });
  return { spec: changed, fields };
}
