import type { PatchOperation } from "../../decision.ts";
import { keysOf, pointerTo } from "../../json.ts";
import { assignment, type Found, given } from "../explain-value.ts";
import { nodeAt, type SchemaNode } from "../schema-node.ts";

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

const listed = (names: readonly string[]): string =>
  [names.slice(0, -1).join(", "), ...names.slice(-1)].filter((part) => part !== "").join(" and ");

/** The correction of the first part, which writes the whole range; null if a part has a value that is not understood, or writes another field. */
function together(range: Range): Found | null {
  const [first, ...others] = range.parts;
  const written = writtenBy(range);
  const isRead = range.parts.every((one) => changesOf(one).length > 0 || one.correction.startsWith("remove it: "));
  if (first === undefined || written.length === 0 || !isRead) return null;
  const names = others.map(nameIn);
  const values = others.map((one) => nameIn(one) + given(one.pointer, one.value));
  const correction = `write ${written.map(([name, { value }]) => assignment(`/${name}`, value)).join(" and ")} in place of ${listed([nameIn(first), ...names])}`;
  const change: PatchOperation[] = [
    ...range.parts.map(({ pointer }): PatchOperation => ({ op: "remove", path: `/spec${pointer}` })),
    ...written.map(([, operation]) => operation),
  ];
  const { patch: _patch, likely: _likely, ...rest } = first;
  const isSure = range.parts.every(({ patch }) => patch !== undefined);
  const detail = `${first.detail}, nor ${names.length === 1 ? "is" : "are"} ${listed(values)}`;
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
