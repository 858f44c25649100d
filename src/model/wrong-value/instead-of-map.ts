import type { PatchOperation } from "../decision.ts";
import { isObject, keysOf, pointerKey, pointerTo, textOf } from "../json.ts";
import { areExamples, assignment, explainValue, type Explanation, type Found, wanted } from "./explain-value.ts";
import { fieldsWithin } from "./fields-within.ts";
import { readValue } from "./read/read-value.ts";
import { byAlias, readWithin, sameName } from "./read/read-within.ts";
import { excludes } from "./texts/excluded-areas.ts";
import { priceText } from "./texts/read-price.ts";
import { childOf, FIELD, nodeAt, type SchemaNode, typeOf, valueAt } from "./schema-node.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The value of a field whose parts stand in a map: `{provider: aws, region: eu-west-3}` of a place, `{name: debian, version: 12}` of a system. */
function joined(node: SchemaNode, values: readonly unknown[]): unknown {
  const [isPlace, isEnum] = [node["x-reads"] === "place", node.enum !== undefined];
  return isPlace || isEnum ? readValue(node, values.map(textOf).join(isPlace ? "/" : "-"))?.value : undefined;
}

/** The value of a field among those of a map: the only one that the field takes. */
function onlyOf(node: SchemaNode, values: readonly unknown[]): unknown {
  const [only, ...others] = values.map((one) => readValue(node, one)?.value).filter((one) => one !== undefined);
  return others.length === 0 ? only : undefined;
}

/** The fields that a map stands for: the field of this name, and others of the map around it. Null if its content is not understood. */
function contentOf(
  parent: SchemaNode,
  name: string,
  value: Fields,
  { siblings, found }: { siblings: Fields; found: readonly (readonly [string, unknown])[] },
): (readonly [string, unknown])[] | null {
  const node = childOf(parent, name) ?? {};
  const all = new Map(found);
  const rest = Object.entries(value).filter(([key, one]) => readWithin(parent, { [key]: one }, siblings).size === 0);
  // `spot: true` is the word spot.
  const words = rest.map(([key, one]) => (one === true && readValue(node, one) === null ? key : one));
  const beside = all.get(name) ?? onlyOf(node, words);
  if (beside !== undefined) return [...[...all].filter(([field]) => field !== name), [name, beside]];
  const values = Object.values(value);
  const own = joined(node, values) ?? onlyOf(node, values);
  return own === undefined ? null : [[name, own]];
}

/** The text that a map stands for in parts: `{date: 2026-12-31, time: "18:00"}`, and an image of Azure. Null for other maps. */
function inOneText(node: SchemaNode, map: Fields): string | null {
  if (node["x-reads"] === "price") return priceText(map);
  const { date, time, day = date, publisher, offer, sku, version = "latest" } = map;
  if (node.format === "date-time" && typeof day === "string" && typeof time === "string") return `${day} ${time}`;
  const parts = [publisher, offer, sku, version];
  const isUrn =
    node["x-reads"] === "image" && parts.every((one) => typeof one === "string" && /^[\w.-]{1,80}$/.test(one));
  return isUrn ? parts.map(textOf).join(":") : null;
}

/** Whether a field takes one value, and has no words of its own about a map. A map with a model of GPUs and their number is one value. */
const takesOne = (node: SchemaNode): boolean =>
  node["x-reads"] !== "gpu" &&
  !["object", "array", undefined].includes(typeOf(node)) &&
  node["x-structure"] === undefined;

type Instead = Explanation & Pick<Found, "meant">;

/** A map that is read as a whole: its parts are one text, or it excludes values. Null for others. */
function asWhole(node: SchemaNode, pointer: string, map: Fields): Instead | null {
  const text = inOneText(node, map);
  if (text !== null) return { ...explainValue(pointer, node, text), detail: "is a map, and takes one value" };
  if (!takesOne(node) || !excludes(map)) return null;
  return { detail: "excludes values", correction: node["x-excluding"] ?? `write ${wanted(pointer, node)}` };
}

/** ` and origin: azure/italynorth or origin: aws/eu-south-1` for the parts of a map that stand for several values of a field. */
function openIn(parent: SchemaNode, map: Fields, written: ReadonlySet<string>): string {
  const texts = Object.entries(map).flatMap(([key, one]) => {
    const field = sameName(parent, key) ?? byAlias(parent, key, one) ?? "";
    const reading = written.has(field) ? null : readValue(childOf(parent, field) ?? {}, one);
    const advice = reading?.value === undefined ? (reading?.advice ?? "") : "";
    return advice.startsWith(`write ${FIELD}`)
      ? [advice.replace(/^write/, " and").replaceAll(FIELD, `${field}: `)]
      : [];
  });
  return texts.join("");
}

/** The fields that a map in place of one value stands for. */
interface Parts {
  /** Those that the map itself holds. */
  fields: readonly (readonly [string, unknown])[];
  /** The same, and those next to a list among them. */
  all: readonly (readonly [string, unknown])[];
  correction: string;
  /** The fields that hold examples. */
  lacking: readonly string[];
  /** Whether more than the one value is there. */
  areSeveral: boolean;
  /** Whether a part stands for several values, of which the user has to choose one. */
  isOpen: boolean;
}

/** The parts of a map in place of one value of a field; null for a field that takes a map, and where the content is not understood. */
export function partsInstead(parent: SchemaNode, name: string, value: Fields, siblings: Fields): Parts | null {
  if (!takesOne(childOf(parent, name) ?? {})) return null;
  const { found, beside, lacking } = fieldsWithin(parent, { value, siblings });
  const fields = contentOf(parent, name, value, { siblings, found });
  if (fields === null) return null;
  const all = [...fields, ...beside];
  const written = all.map(([field, one]) => assignment(`/${field}`, one)).join(" and ");
  const open = openIn(parent, value, new Set([...Object.keys(siblings), ...all.map(([field]) => field)]));
  const correction = `write ${written}${open}${areExamples(lacking)}`;
  return { fields, all, correction, lacking, areSeveral: all.length > 1 || open !== "", isOpen: open !== "" };
}

/** A map in place of one value: `{region: eu-west-3}` for a region. Its content may be several fields of the map around it. */
export function insteadOfMap(schema: SchemaNode, spec: unknown, node: SchemaNode, pointer: string): Instead | null {
  const value = valueAt(spec, pointer);
  const [name = "", ...above] = keysOf(pointer).toReversed();
  const whole = isObject(value) ? asWhole(node, pointer, value) : null;
  if (whole !== null) return whole;
  const around = pointerTo(above.toReversed());
  const holder = valueAt(spec, around);
  if (!isObject(value) || !isObject(holder)) return null;
  const { [name]: _own, ...siblings } = holder;
  const parts = partsInstead(nodeAt(schema, around), name, value, siblings);
  if (parts === null) return null;
  const { fields, all, correction, lacking, isOpen } = parts;
  const meant = fields.map(([field]) => `${around}/${pointerKey(field)}`);
  const detail = "is a map, and takes one value";
  if (lacking.length > 0 || isOpen) return { detail, correction, meant };
  const likely = all.map(([field, one]): PatchOperation => {
    return { op: "add", path: `/spec${around}/${pointerKey(field)}`, value: one };
  });
  return { detail, correction, likely, meant };
}
