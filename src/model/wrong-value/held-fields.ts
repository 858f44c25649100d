import type { PatchOperation } from "../decision.ts";
import { isObject, pointerKey, textOf } from "../json.ts";
import { hasContainers } from "../places/images.ts";
import { besideItems, flattened, instead } from "./elsewhere.ts";
import { areExamples, assignment, type Explanation } from "./explain-value.ts";
import { partsInstead } from "./instead-of-map.ts";
import { fieldsWithin } from "./fields-within.ts";
import { replacedBy, withoutValues, type Written } from "./foreign-value.ts";
import type { LostKey } from "./lost-key.ts";
import type { UnknownField } from "./other-map.ts";
import { readForeign } from "./read/read-foreign.ts";
import { byAlias, folded, roundedIn, sameName } from "./read/read-within.ts";
import { accepts, childOf, type SchemaNode, typeOf } from "./schema-node.ts";
import { excludes } from "./texts/excluded-areas.ts";

/** The correction of a field whose map holds others, and their names. */
export interface Held extends Pick<Explanation, "correction" | "likely" | "examples"> {
  meant: string[];
}

/** No user means a name that is longer. */
const LONGEST_NAME = 60;
/** The removal of a field, and the values that are written in its place next to it. */
export function moved({ parent, name }: UnknownField, fields: Written["fields"]): PatchOperation[] {
  const path = (key: string): string => `/spec${parent}/${pointerKey(key)}`;
  return [
    { op: "remove", path: path(name) },
    ...fields.map(([key, value]): PatchOperation => ({ op: "add", path: path(key), value })),
  ];
}

/** A map of another tool, whose content may be fields of ours: of what has no counterpart here, nothing is. */
const mayHoldFields = (told: string | undefined): boolean =>
  told === undefined || /\bdirectly\b|min and max|^no field repeats/.test(told);

const CONTAINERS = "; a machine runs no containers, but userData can start them";

/** Names that say nothing where another field says it. */
const SILENT = ["name", "metadata", "enabled", "kind", "apiversion"];

/** The fields of a map, and those of its requests, or of its limits alone. */
function entriesOf(value: Readonly<Record<string, unknown>>): [string, unknown][] {
  const sized = value["requests"] === undefined ? "limits" : "requests";
  return Object.entries(value).flatMap(([name, one]): [string, unknown][] =>
    name === sized && isObject(one) ? Object.entries(one) : [[name, one]],
  );
}

/** The limits next to the requests that are taken, at any depth; nothing where they say the same. */
function limitsIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(limitsIn).find((text) => text !== "") ?? "";
  if (!isObject(value)) return "";
  const { requests, limits } = value;
  if (!isObject(requests) || !isObject(limits)) return limitsIn(Object.values(value));
  const isOther = Object.entries(requests).some(([name, one]) => textOf(limits[name] ?? one) !== textOf(one));
  return isOther ? "; these are the requests, and a machine has no limits" : "";
}

/** The text about a field in a map of another tool that belongs outside of the list around it; null for others. */
function besideOf(
  node: SchemaNode,
  { parent, siblings, list }: UnknownField,
  name: string,
  value: unknown,
): string | null {
  if (besideItems(node, [{ [name]: value }]).length === 0) return null;
  const all = (list ?? [siblings]).filter(isObject).map(flattened);
  const own = { parent, name, value, siblings: flattened(siblings), list: all };
  return instead(node, own) ?? null;
}

/** The fields directly in a map of another tool that become none of ours: the user should know. */
function leftIn(node: SchemaNode, field: UnknownField): string {
  const { value } = field;
  const entries = isObject(value) && !hasContainers(value) ? entriesOf(value) : [];
  const lost = entries.filter(([name, one]) => {
    const alone = { value: { [name]: one }, siblings: {} };
    return !SILENT.includes(folded(name)) && fieldsWithin(node, alone).found.length === 0;
  });
  const numbers = isObject(value) ? replacedBy(node, [value]) : "";
  const texts = new Map(lost.map(([name, one]) => [name, besideOf(node, field, name, one)]));
  const told = new Set([...texts.values()].filter((text) => text !== null));
  const silent = lost.filter(([name]) => texts.get(name) === null);
  return numbers + [...told].map((text) => `; ${text}`).join("") + withoutValues(node, silent);
}

/** The advice to write the fields that stand in a map of another tool, and their names; null if it holds none. */
function content(node: SchemaNode, field: UnknownField): Held | null {
  const { found, beside, lacking } = fieldsWithin(node, field);
  if (found.length === 0) return null;
  const all = [...found, ...beside];
  const written = all.map(([name, one]) => writtenAs(node, name, one));
  const end =
    areExamples(lacking) +
    roundedIn(node, field.value) +
    limitsIn(field.value) +
    leftIn(node, field) +
    (hasContainers(field.value) ? CONTAINERS : "");
  return {
    correction: `write ${written.join(" and ")} in its place${end}`,
    likely: moved(field, all),
    ...(lacking.length > 0 ? { examples: structured(all) } : {}),
    meant: found.map(([name]) => name),
  };
}

/** The fields that hold lists or maps: examples stand in those. */
const structured = (fields: Written["fields"]): string[] =>
  fields.flatMap(([name, value]) => (typeof value === "object" ? [name] : []));

/** `memory: 4`; of a text with a structure of its own, such as user data, only the name: it is long, and may hold secrets. */
const writtenAs = (node: SchemaNode, name: string, value: unknown): string =>
  childOf(node, name)?.["x-structure"] === undefined ? assignment(`/${name}`, value) : `${name}: …`;

/** The fields in a map of another tool; null for a field that has a meaning of its own. */
export function held(node: SchemaNode, told: string | undefined, field: UnknownField): Held | null {
  const own = told === undefined ? (sameName(node, field.name) ?? byAlias(node, field.name)) : undefined;
  const isOwn = own !== undefined && holdsOwn(childOf(node, own) ?? {}, field);
  if (isOwn) return withOthers(node, own, field);
  return mayHoldFields(told) ? content(node, field) : null;
}

/** The correction of a map in place of one value, `{max: 30, from: azure/italynorth}` of a latency, where it holds other fields as well. Null for one that does not. */
function withOthers(node: SchemaNode, own: string, field: UnknownField): Held | null {
  const { value, siblings } = field;
  const parts = isObject(value) && siblings[own] === undefined ? partsInstead(node, own, value, siblings) : null;
  if (parts === null || !parts.areSeveral || parts.lacking.length > 0) return null;
  const { correction, all, fields, isOpen } = parts;
  const meant = fields.map(([name]) => name);
  return isOpen ? { correction, meant } : { correction, likely: moved(field, all), meant };
}

/** Whether the field that a name stands for takes what is written there: `{provider: aws, region: eu-west-1}` of `location` are two others. */
const holdsOwn = (child: SchemaNode, { value }: UnknownField): boolean =>
  ["object", "array"].includes(typeOf(child) ?? "") || typeof value !== "object" || readForeign(child, value) !== null;

/** The fields of Kubernetes' own metadata. */
const OF_METADATA = [
  "name",
  "generateName",
  "namespace",
  "labels",
  "annotations",
  "uid",
  "finalizers",
  "ownerReferences",
];
const FOREIGN_METADATA =
  "write sshPublicKey and userData directly below spec, or remove it: other metadata of a machine has no field";

const EXCLUDED =
  /^(?:exclud(?:e|ed|ing)|den(?:y|ied)|forbid(?:den)?|block(?:ed)?|disallow(?:ed)?|avoid(?:ed)?|except|without|not)[_-]?(\w{4,40})$/i;

/** The text about a field that excludes values of one of ours: `excludeRegions`, and `region: {not: [westeurope]}`. Undefined for others. */
function excludedBy(node: SchemaNode, { name, value }: UnknownField): string | undefined {
  const whose = excludes(value) ? name : (EXCLUDED.exec(name)?.[1] ?? "");
  return childOf(node, sameName(node, whose) ?? byAlias(node, whose) ?? "")?.["x-excluding"];
}

/** The text about a field; metadata of a machine, as Google Cloud has them, are none of the object. */
export function toldOf(node: SchemaNode, field: UnknownField): string | undefined {
  const told = field.name.length > LONGEST_NAME ? "remove it" : (instead(node, field) ?? excludedBy(node, field));
  const keys = isObject(field.value) ? Object.keys(field.value) : [];
  const isForeign = told !== undefined && field.name === "metadata" && keys.some((key) => !OF_METADATA.includes(key));
  return isForeign ? FOREIGN_METADATA : told;
}

/** `; omit username: …` for the fields of a map that are to be removed. */
function removedWithin(node: SchemaNode, field: UnknownField): string {
  const texts = (isObject(field.value) ? Object.entries(field.value) : []).flatMap(([name, value]) => {
    const told = instead(node, { ...field, name, value });
    return told?.startsWith("remove it: ") === true ? [told.replace("remove it", `; omit ${name}`)] : [];
  });
  return texts.join("");
}

/** The correction of a map that holds other fields or a key, which must not be lost; null for a map without either. */
export function withKey(
  within: Held | null,
  key: LostKey | null,
  node: SchemaNode,
  field: UnknownField,
): (Held & { detail?: string }) | null {
  if (key === null) return within;
  if (within === null)
    return {
      detail: `is not a field, and its key ${key.problem}`,
      correction: key.correction + removedWithin(node, field),
      meant: [],
    };
  return { ...within, correction: `${within.correction}; its key ${key.problem}: ${key.correction}` };
}

/** `write capacity: spot` at the beginning of a schema's text. */
const WRITES = /^write ([A-Za-z]{2,40}): ([a-z][\w-]{0,60})(?=$|[,;])/;

/** The change of a text that writes one word; undefined for other texts. */
export function wordBy(node: SchemaNode, correction: string, field: UnknownField): PatchOperation[] | undefined {
  const [, name = "", value] = WRITES.exec(correction) ?? [];
  const child = node.properties?.[name];
  const isFree = child !== undefined && field.siblings[name] === undefined && accepts(child, value);
  return isFree ? moved(field, [[name, value]]) : undefined;
}
