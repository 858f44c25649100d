import type { PatchOperation } from "../../decision.ts";
import { isObject, keysOf, ownValue, pointerTo } from "../../json.ts";
import { assignment, type Found, inProse, labelOf, wanted } from "../explain-value.ts";
import { readValue } from "../read/read-value.ts";
import { asRanges, intoOneMap, withoutAdded } from "./one-correction.ts";
import { accepts, dotted, nodeAt, type SchemaNode, valueAt } from "../schema-node.ts";

type Added = PatchOperation & { op: "add"; value: unknown };

const isAdded = (operation: PatchOperation): operation is Added => operation.op === "add";

/** The path at which a correction adds a field: `/spec/ports`. */
const addedBy = ({ patch = [] }: Found): Added | undefined => patch.find(isAdded);

const SPEC = "/spec";

/** All entries of lists, each once, or all fields of maps that share none; undefined for values of which only one can be written. */
function united(values: readonly unknown[]): unknown {
  if (values.every((value): value is unknown[] => Array.isArray(value))) {
    const byText = new Map(values.flat().map((one) => [JSON.stringify(one), one]));
    return [...byText.values()];
  }
  if (!values.every(isObject)) return undefined;
  const names = values.flatMap((value) => Object.keys(value));
  return new Set(names).size === names.length ? Object.assign({}, ...values) : undefined;
}

/** One of several corrections that would each write the same field, and overwrite that of the others. */
function among(own: Found, added: Added, values: readonly unknown[]): Found {
  const pointer = added.path.slice(SPEC.length);
  const value = united(values);
  if (value !== undefined) {
    const patch = (own.patch ?? []).map((one) => (one === added ? { ...added, value } : one));
    return { ...own, correction: `write ${assignment(pointer, value)}`, patch };
  }
  const { patch: _patch, ...rest } = own;
  const choices = [...new Set(values.map((one) => assignment(pointer, one)))];
  return { ...rest, correction: `write ${choices.join(" or ")}, and no other field for it` };
}

/** The first free name of `web-2`, `web-3` and so on, without a dash where names have none. */
function freeName(node: SchemaNode, name: string, taken: readonly unknown[]): string | undefined {
  const numbers = Array.from({ length: taken.length + 1 }, (_, index) => String(index + 2));
  const names = ["-", ""].flatMap((sign) => numbers.map((number) => name + sign + number));
  return names.find((one) => !taken.includes(one) && accepts(node, one));
}

interface GivenName {
  list: string;
  index: string;
  change: PatchOperation & { value: string };
}

/** The name that a correction gives an item of a list, and the pointer to the list; null for other corrections. */
function nameBy({ pointer, patch, likely = [] }: Found): GivenName | null {
  const [key, index = "", ...above] = keysOf(pointer).toReversed();
  const [change] = patch ?? likely;
  const isName = key === "name" && /^\d+$/.test(index) && change !== undefined && change.op !== "remove";
  return isName && typeof change.value === "string"
    ? { list: pointerTo(above.toReversed()), index, change: { ...change, value: change.value } }
    : null;
}

/** The name that a correction of a whole item of a list gives it; empty for others. */
function wholeItem({ pointer, patch, likely = [] }: Found, list: string): (readonly [index: string, name: string])[] {
  const [index = "", ...above] = keysOf(pointer).toReversed();
  const { value } = (patch ?? likely)[0] ?? {};
  const name = isObject(value) ? value["name"] : undefined;
  return pointerTo(above.toReversed()) === list && typeof name === "string" ? [[index, name]] : [];
}

/** The names of a list's other items, as earlier corrections leave them. */
function otherNames(spec: unknown, list: string, index: string, earlier: readonly Found[]): unknown[] {
  const items = valueAt(spec, list);
  const corrected = new Map(
    earlier.flatMap((found) => {
      const named = nameBy(found);
      return named?.list === list ? [[named.index, named.change.value] as const] : wholeItem(found, list);
    }),
  );
  const names = Array.isArray(items)
    ? items.map((one, at) => corrected.get(String(at)) ?? (isObject(one) ? one["name"] : null))
    : [];
  return names.filter((_name, at) => String(at) !== index);
}

/** A name that another entry of the list has, or gets by an earlier correction. */
function withFreeName(schema: SchemaNode, spec: unknown, found: Found, earlier: readonly Found[]): Found {
  const named = nameBy(found);
  if (named === null) return found;
  const { pointer, value: given, patch } = found;
  const [node, name] = [nodeAt(schema, pointer), named.change.value];
  const taken = otherNames(spec, named.list, named.index, earlier);
  const value = taken.includes(name) ? freeName(node, name, taken) : undefined;
  if (value === undefined) return found;
  const change: PatchOperation[] = [{ ...named.change, value }];
  const correction =
    given === undefined
      ? `write ${wanted(pointer, node, value)}`
      : `write another name than ${name}, which is used, e.g. ${labelOf(pointer)}${value}`;
  return { ...found, correction, ...(patch === undefined ? { likely: change } : { patch: change }) };
}

/** The path and value that an unknown field's correction writes; undefined for another one. */
const writtenBy = ({ likely = [], keyword }: Found): Added | undefined =>
  keyword === "additionalProperties" ? likely.find(isAdded) : undefined;

/** Of unknown fields that stand for one value, the first writes it. */
function writtenOnce(found: Found, earlier: readonly Found[]): Found {
  const own = writtenBy(found);
  const same = earlier.find((other) => {
    const added = writtenBy(other);
    return added !== undefined && added.path === own?.path && JSON.stringify(added.value) !== JSON.stringify(own.value);
  });
  if (own === undefined || same === undefined || typeof own.value === "object") return found;
  const name = keysOf(own.path).at(-1) ?? "";
  const correction = `remove it: ${name} as it is written for spec${dotted(same.pointer)} is enough`;
  return { ...withoutAdded(found), correction };
}

/** The correction of a word that another field of the object says in another way: `interruptible: true` of a spot machine. Undefined for others. */
function saidBy(schema: SchemaNode, spec: unknown, { pointer, value }: Found): string | undefined {
  const isOn = readValue({ type: "boolean" }, value)?.value === true;
  const said = isOn ? Object.entries(nodeAt(schema, pointer)["x-said-by"] ?? {}) : [];
  return said.flatMap(([name, texts]) => {
    const other = readValue(schema.properties?.[name] ?? {}, valueAt(spec, `/${name}`))?.value;
    return typeof other === "string" ? (ownValue(texts, other) ?? []) : [];
  })[0];
}

/** The corrections with those that another field's value makes needless. */
function saidElsewhere(schema: SchemaNode, spec: unknown, all: readonly Found[]): Found[] {
  return all.map((found) => {
    const correction = saidBy(schema, spec, found);
    const { patch: _patch, ...rest } = found;
    return correction === undefined
      ? found
      : { ...rest, correction, likely: [{ op: "remove", path: SPEC + found.pointer }] };
  });
}

type Fields = Record<string, unknown>;

/** The only map of a list that a correction writes; undefined for others. */
function onlyEntry(found: Found): Fields | undefined {
  const value = writtenBy(found)?.value;
  const [only, ...more] = Array.isArray(value) ? (value as unknown[]) : [];
  return isObject(only) && more.length === 0 ? only : undefined;
}

const isPart = (part: Fields, whole: Fields): boolean =>
  Object.entries(part).every(([name, value]) => JSON.stringify(whole[name]) === JSON.stringify(value));

/** Of unknown fields that write one entry of the same list, the one that says all of it writes it: the count of nodes next to `nodeConfig`. */
function asOneEntry(all: readonly Found[]): Found[] {
  return all.map((found) => {
    const own = onlyEntry(found);
    const whole = all.find((other) => {
      const more = writtenBy(other)?.path === writtenBy(found)?.path ? onlyEntry(other) : undefined;
      return own !== undefined && more !== undefined && isPart(own, more) && !isPart(more, own);
    });
    if (whole === undefined) return found;
    const name = keysOf(writtenBy(found)?.path ?? "").at(-1) ?? "";
    const { examples: _examples, ...kept } = withoutAdded(found);
    return { ...kept, correction: `remove it: ${name} as it is written for spec${dotted(whole.pointer)} has it` };
  });
}

/** The schema's text about a field of cloud-init. */
const CLOUD_CONFIG = "write it into userData, below a first line #cloud-config";

const nameOf = ({ pointer }: Found): string => keysOf(pointer).at(-1) ?? "";

/** Fields of cloud-init as one text of user data, where the object has none: the first says how, and the others are in it. */
function asCloudConfig(spec: unknown, all: readonly Found[]): readonly Found[] {
  const parts = all.filter(({ correction }) => correction === CLOUD_CONFIG);
  const [first] = parts;
  if (first === undefined || valueAt(spec, "/userData") !== undefined) return all;
  const correction = `write one text: put | after userData:, and below it, indented, a first line #cloud-config and then ${inProse(parts.map(nameOf))} as written here`;
  const removed = `remove it: userData as it is written for spec${dotted(first.pointer)} has it`;
  return all.map((one) => (parts.includes(one) ? { ...one, correction: one === first ? correction : removed } : one));
}

/** Corrections that can be made together: none overwrites what another writes, and no name is used twice. */
export function combineCorrections(schema: SchemaNode, spec: unknown, given: readonly Found[]): Found[] {
  const all = asOneEntry(
    asCloudConfig(spec, intoOneMap(schema, spec, asRanges(schema, saidElsewhere(schema, spec, given)))),
  );
  const combined: Found[] = [];
  for (const found of all) {
    const added = addedBy(found);
    const same = all.flatMap((other) => addedBy(other) ?? []).filter(({ path }) => path === added?.path);
    combined.push(
      added === undefined || same.length < 2
        ? withFreeName(schema, spec, writtenOnce(found, combined), combined)
        : among(
            found,
            added,
            same.map(({ value }) => value),
          ),
    );
  }
  return combined;
}
