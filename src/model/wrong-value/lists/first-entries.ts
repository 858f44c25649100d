import { isObject, textOf } from "../../json.ts";
import { besideItems, takesOfAll } from "../elsewhere.ts";
import { assignment, flow } from "../explain-value.ts";
import { foreignParts, type Written } from "../foreign-value.ts";
import type { UnknownField } from "../other-map.ts";
import { itemsOf } from "../read/read-foreign.ts";
import { readValue } from "../read/read-value.ts";
import { accepts, childOf, type SchemaNode } from "../schema-node.ts";

type Fields = Readonly<Record<string, unknown>>;

/** `main2` for a second entry of the name `main`, where the name is only an example. */
function withFreeNames(entries: readonly Fields[], items: readonly Fields[], taken: readonly unknown[]): Fields[] {
  return entries.map((entry, index) => {
    const isOwn = items[index]?.["name"] !== undefined && taken.includes(entry["name"]);
    return taken.includes(entry["name"]) && !isOwn ? { ...entry, name: `${textOf(entry["name"])}2` } : entry;
  });
}

/** The end of a correction whose entries name a type, which those of the list do not. */
const NOT_ALL = "; poolInstanceTypes names the types of all pools or of none";

/** The fields next to the list with what they say of the entries that it has and of those that it gets. */
function besideBoth(
  item: SchemaNode,
  added: readonly Fields[],
  { siblings }: UnknownField,
  present: readonly Fields[],
) {
  const own = besideItems(item, added);
  return own.flatMap(([name, value]) => {
    const set = siblings[name];
    if (isObject(set) && isObject(value)) return [[name, { ...value, ...set }] as const];
    return besideItems(item, [...added, ...present]).filter(([other]) => other === name);
  });
}

/** The entries of a list that another field holds too. */
interface Both {
  parts: NonNullable<ReturnType<typeof foreignParts>>;
  /** The entries of the other field, and those of the list. */
  given: readonly Fields[];
  present: readonly Fields[];
}

/** The entries of both; null for a field that takes no maps, and for other values. */
function entriesOf(node: SchemaNode, meant: string, field: UnknownField): Both | null {
  const present = field.siblings[meant];
  const { items: { properties } = {} } = childOf(node, meant) ?? {};
  const parts = properties === undefined ? null : foreignParts(node, meant, field);
  const found = parts?.fields.find(([name]) => name === meant)?.[1];
  if (parts === null || !Array.isArray(found) || !Array.isArray(present)) return null;
  return { parts, given: found.filter(isObject), present: (present as unknown[]).filter(isObject) };
}

/** The entries that the list does not have, by their names or as a whole. */
function newEntries(entries: readonly Fields[], present: readonly Fields[], names: readonly unknown[]): Fields[] {
  const texts = new Set(present.map((one) => JSON.stringify(one)));
  return entries.filter((one) => !names.includes(one["name"]) && !texts.has(JSON.stringify(one)));
}

/**
 * The correction of a field that holds entries for a list which is set as well: the default pool of a cluster next to its other pools. Null for
 * a field of other values, and for one whose entries the list has.
 */
function asFirstEntries(node: SchemaNode, meant: string, field: UnknownField): Written | null {
  const both = entriesOf(node, meant, field);
  if (both === null) return null;
  const { parts, present } = both;
  const { items: item = {} } = childOf(node, meant) ?? {};
  const names = present.map(({ name }) => name).filter((name) => name !== undefined);
  const entries = withFreeNames(both.given, itemsOf(field.value), names);
  const added = newEntries(entries, present, names);
  if (added.length === 0) return null;
  const items = parts.items.map((one, index) => ({ ...one, name: entries[index]?.["name"] ?? one["name"] }));
  const beside = besideBoth(item, items, field, present);
  const isLeft = beside.length === 0 && items.some((one) => takesOfAll(item, one));
  const as = added.length === 1 ? "it as the first entry" : "them as the first entries";
  const written = [
    `write ${as} of ${meant}: ${added.map(flow).join(", ")}`,
    ...beside.map(([name, one]) => assignment(`/${name}`, one)),
  ];
  return {
    correction: written.join(" and ") + parts.end + (isLeft ? NOT_ALL : ""),
    fields: beside,
    inFront: { pointer: `${field.parent}/${meant}`, entries: added },
  };
}

/** The entries of two fields for one list, or of two maps of names, which share none; null for others. */
function united(child: SchemaNode, own: unknown, other: unknown): unknown {
  const [one, more] = [own, other].map((value) => readValue(child, value)?.value);
  if (Array.isArray(one) && Array.isArray(more)) {
    const all = [one, more].flat() as unknown[];
    return [...new Map(all.map((entry) => [JSON.stringify(entry), entry])).values()];
  }
  if (!isObject(one) || !isObject(more) || child.properties !== undefined) return null;
  return Object.keys(more).some((name) => Object.hasOwn(one, name)) ? null : { ...one, ...more };
}

/** The correction of a field for one that is set as well: nothing of a list is lost. */
export function besides(node: SchemaNode, meant: string, field: UnknownField): Written {
  const child = childOf(node, meant) ?? {};
  const { siblings, value } = field;
  const both = united(child, siblings[meant], value);
  const isSame = JSON.stringify(both) === JSON.stringify(readValue(child, siblings[meant])?.value);
  if (both !== null && !isSame && accepts(child, both))
    return { correction: `write ${assignment(`/${meant}`, both)}`, fields: [[meant, both]] };
  const first = both === null ? asFirstEntries(node, meant, field) : null;
  return first ?? { correction: `remove it: ${meant} is set as well`, fields: [] };
}
