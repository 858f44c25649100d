import type { PatchOperation } from "../../decision.ts";
import { isObject, keysOf, pointerTo } from "../../json.ts";
import { assignment, type Found, given, inProse, leftOutBy } from "../explain-value.ts";
import { type Excluded, excludedFrom, stripped, withoutNames } from "./excluded-fields.ts";
import { accepts, dotted, nodeAt, type SchemaNode, valueAt } from "../schema-node.ts";

const SPEC = "/spec";

type Fields = Record<string, unknown>;

/** Two maps as one, also the maps within them; null where both have another value for a field. */
function mergedMaps(one: Fields, other: Fields): Fields | null {
  const merged: Fields = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const own = merged[name];
    const both = isObject(own) && isObject(value) ? mergedMaps(own, value) : value;
    if (both === null || (own !== undefined && both === value && JSON.stringify(own) !== JSON.stringify(value)))
      return null;
    merged[name] = both;
  }
  return merged;
}

/** The map that all corrections of its parts write together, with what the object has of it; null if they contradict each other. */
function wholeMap(schema: SchemaNode, spec: unknown, field: string, parts: readonly Found[]): Fields | null {
  const present = valueAt(spec, pointerTo([field]));
  const first = isObject(present) && accepts(nodeAt(schema, pointerTo([field])), present) ? present : {};
  return parts.reduce<Fields | null>((all, found) => {
    const value = mapBy(found)?.value;
    return all === null || !isObject(value) ? null : mergedMaps(all, value);
  }, first);
}

/** The map below the top that a correction writes; undefined for others. */
function mapBy({ within, patch, likely = [] }: Found): Found["within"] {
  return within ?? mapWritten((patch ?? likely).filter(({ op }) => op !== "remove"));
}

function mapWritten([only, ...others]: readonly PatchOperation[]): Found["within"] {
  const [field, ...below] = keysOf(only?.path.slice(SPEC.length) ?? "");
  if (only === undefined || field === undefined || others.length > 0 || below.some((key) => /^\d+$/.test(key)))
    return undefined;
  const value = below.reduceRight((inner: unknown, key) => ({ [key]: inner }), only.value);
  return isObject(value) ? { field, value } : undefined;
}

/** Whether a correction writes this field of the map alone: `within` has those of the others too. */
function holds(found: Found, { field: name }: Excluded): boolean {
  const own = mapWritten(changesOf(found).filter(({ op }) => op !== "remove")) ?? found.within;
  const value = own?.value;
  return isObject(value) && value[name] !== undefined && Object.keys(value).length === 1;
}

/** The corrections that would only write a field without effect next to others of the map: it is removed. */
function withoutEffect(
  schema: SchemaNode,
  spec: unknown,
  field: string,
  { whole, parts }: { whole: Fields; parts: readonly Found[] },
): Map<Found, Found> {
  const excluded = excludedFrom(schema, spec, field, whole);
  const found = parts.flatMap((part): [Found, Found][] => {
    const one = excluded.find((other) => holds(part, other));
    return one === undefined ? [] : [[part, { ...withoutAdded(part), correction: `remove it: ${one.correction}` }]];
  });
  return new Map(found);
}

/** Corrections that write parts of one map, as one that writes it whole; the others remove their fields. */
function asOne(schema: SchemaNode, spec: unknown, field: string, parts: readonly Found[]): Map<Found, Found> {
  const all = wholeMap(schema, spec, field, parts);
  const useless = withoutEffect(schema, spec, field, { whole: all ?? {}, parts });
  const writer = parts.find(({ pointer }) => pointer === pointerTo([field])) ?? parts.find((one) => !useless.has(one));
  if (writer === undefined) return useless;
  const whole = all ?? mapBy(writer)?.value;
  if (!isObject(whole)) return new Map();
  const excluded = excludedFrom(schema, spec, field, whole);
  const written = withoutNames(
    whole,
    excluded.map((one) => one.field),
  );
  const text = `write ${assignment(pointerTo([field]), written)}`;
  return new Map(
    parts.map((part) => {
      const found = stripped(part, field, excluded);
      const without = excluded.find((one) => holds(found, one));
      if (part === writer) {
        const said = excluded.filter((one) => without === one || !parts.some((other) => holds(other, one)));
        const correction = [text, ...said.map((one) => one.correction)].join("; ") + leftOutBy(found.correction);
        const kept = without === undefined ? found : withoutAdded(found);
        const removed = said.map(({ field: name }): PatchOperation => {
          return { op: "remove", path: SPEC + pointerTo([field, name]) };
        });
        const likely = [...removed, ...(kept.likely ?? [])];
        return [part, writing(removed.length === 0 ? kept : { ...kept, likely }, field, written, correction)];
      }
      const has = all === null ? "is enough" : "has it";
      const told = without?.correction ?? `${field} as it is written for spec${dotted(writer.pointer)} ${has}`;
      const kept = all === null || without !== undefined ? withoutAdded(found) : found;
      return [part, { ...kept, correction: `remove it: ${told}` }];
    }),
  );
}

/** A correction that only removes. */
export function withoutAdded({ patch, likely = [], ...found }: Found): Found {
  return { ...found, likely: (patch ?? likely).filter(({ op }) => op === "remove") };
}

/** A correction that writes a whole map. A change that is not certain stays: those of the other parts write theirs. */
function writing(found: Found, field: string, value: Fields, correction: string): Found {
  if (found.patch === undefined) return { ...found, correction };
  const path = SPEC + pointerTo([field]);
  const patch = found.patch.map((one): PatchOperation => (one.path === path ? { op: "add", path, value } : one));
  return { ...found, correction, patch };
}

/** Whether corrections write a field of a map that has no effect next to another one. */
function areExcluded(schema: SchemaNode, spec: unknown, field: string, parts: readonly Found[]): boolean {
  const whole = wholeMap(schema, spec, field, parts) ?? {};
  return parts.length > 0 && excludedFrom(schema, spec, field, whole).length > 0;
}

/** Several fields that belong into one map: one correction writes the whole map. */
export function intoOneMap(schema: SchemaNode, spec: unknown, all: readonly Found[]): Found[] {
  const partsOf = (field: string): Found[] => all.filter((one) => mapBy(one)?.field === field);
  const apart = all.flatMap(({ within }) => (within === undefined ? [] : [within.field]));
  const excluding = Object.keys(schema.properties ?? {}).filter((field) =>
    areExcluded(schema, spec, field, partsOf(field)),
  );
  const fields = new Set([...apart, ...excluding]);
  const byFound = new Map([...fields].flatMap((field) => [...asOne(schema, spec, field, partsOf(field))]));
  return all.map((found) => byFound.get(found) ?? found);
}

/** `minSize`, `maxSize` and `desiredSize` of one map, which together say a range. */
interface Range {
  /** The fields of the range here. */
  fields: readonly string[];
  /** The field that a single number of it has. */
  single: string;
  parts: readonly Found[];
}

const nameIn = ({ pointer }: Found): string => keysOf(pointer).at(-1) ?? "";
const holderOf = (pointer: string): string => pointerTo(keysOf(pointer).slice(0, -1));

/** The changes of an unknown field that only stands for a field of the same map. */
const changesOf = ({ patch, likely = [] }: Found): readonly PatchOperation[] => patch ?? likely;

/** Whether an unknown field stands for one of these fields next to it, and for no other. */
function isPart({ keyword, pointer, meant = [] }: Found, names: readonly string[]): boolean {
  const holder = holderOf(pointer);
  return (
    keyword === "additionalProperties" && meant.length === 1 && names.some((name) => meant[0] === `${holder}/${name}`)
  );
}

/** The ranges of a map that several of its unknown fields say. */
function rangesOf(schema: SchemaNode, holder: string, all: readonly Found[]): Range[] {
  const own = all.filter(({ pointer }) => holderOf(pointer) === holder);
  return Object.entries(nodeAt(schema, holder).properties ?? {}).flatMap(([single, { "x-range": fields = [] }]) => {
    const parts = own.filter((one) => isPart(one, [single, ...fields]));
    return fields.length > 0 && parts.length > 1 ? [{ fields, single, parts }] : [];
  });
}

/** The fields that the parts write, in the order of the range, without an end that is the beginning as well. */
function writtenBy({ fields, single, parts }: Range): [name: string, operation: PatchOperation][] {
  const all = parts.flatMap(changesOf).filter(({ op }) => op !== "remove");
  const found = fields.flatMap((name): [string, PatchOperation][] => {
    const operation = all.find(({ path }) => keysOf(path).at(-1) === name);
    return operation === undefined ? [] : [[name, operation]];
  });
  const [[first, begin] = ["", undefined], ...more] = found;
  const isOne = first === single && more.every(([, { value }]) => value === begin?.value);
  return isOne ? found.slice(0, 1) : found;
}

/** The end of a correction of limits that omits a number between them: a pool that is scaled begins with its minimum. */
function beginsWith(
  { single, fields, parts }: Range,
  written: readonly [name: string, operation: PatchOperation][],
): string {
  const [least = "", most = ""] = fields;
  if (single === least || written.some(([name]) => name === single)) return "";
  const given = parts.find(({ meant = [] }) => keysOf(meant[0] ?? "").at(-1) === single)?.value;
  const [min = 0, max] = [least, most].map((one) => written.find(([name]) => name === one)?.[1].value);
  const isBetween = Number(given) > Number(min) && Number(given) <= Number(max);
  return isBetween
    ? `; a pool that scales begins with its ${least}: write ${assignment(`/${least}`, Number(given))} for ${String(Number(given))} nodes from the start`
    : "";
}

/** The correction of the first part, which writes the whole range; null if a part has a value that is not understood, or writes another field. */
function together(range: Range): Found | null {
  const [first, ...others] = range.parts;
  const written = writtenBy(range);
  const isRead = range.parts.every((one) => changesOf(one).length > 0 || one.correction.startsWith("remove it: "));
  if (first === undefined || written.length === 0 || !isRead) return null;
  const names = others.map(nameIn);
  const values = others.map((one) => nameIn(one) + given(one.pointer, one.value));
  const begin = beginsWith(range, written);
  const correction = `write ${written.map(([name, { value }]) => assignment(`/${name}`, value)).join(" and ")} in place of ${inProse([nameIn(first), ...names])}${begin}`;
  const change: PatchOperation[] = [
    ...range.parts.map(({ pointer }): PatchOperation => ({ op: "remove", path: `/spec${pointer}` })),
    ...written.map(([, operation]) => operation),
  ];
  const { patch: _patch, likely: _likely, ...rest } = first;
  const isSure = range.parts.every(({ patch }) => patch !== undefined);
  const detail = `${first.detail}, nor ${names.length === 1 ? "is" : "are"} ${inProse(values)}`;
  return { ...rest, detail, correction, ...(isSure ? { patch: change } : { likely: change }) };
}

/** Unknown fields of one map that say a range, as one correction: `min: 1 and max: 5` of `minSize`, `maxSize` and `desiredSize`. */
export function asRanges(schema: SchemaNode, all: readonly Found[]): Found[] {
  const holders = new Set(
    all.filter(({ keyword }) => keyword === "additionalProperties").map(({ pointer }) => holderOf(pointer)),
  );
  const ranges = [...holders].flatMap((holder) => rangesOf(schema, holder, all));
  const replaced = new Map<Found, Found[]>();
  for (const range of ranges) {
    const whole = together(range);
    if (whole !== null)
      for (const [index, part] of range.parts.entries()) replaced.set(part, index === 0 ? [whole] : []);
  }
  return all.flatMap((one) => replaced.get(one) ?? [one]);
}
