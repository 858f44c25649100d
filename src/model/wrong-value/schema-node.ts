import { isObject, keysOf } from "../json.ts";
import { findArea } from "../places/find-area.ts";
import { parseIpv4Network } from "../formats/ipv4-network.ts";
import { isPublicKey } from "../formats/ssh-key.ts";
import { parseDuration, parseTime, parseWait } from "../time.ts";
import { table } from "../table.ts";

/** How a wrong value can be understood. */
export interface Reading {
  /** The problem, if more can be said than that the field takes other values. */
  problem?: string;
  /** The correction, if it is not to write `value`. */
  advice?: string;
  /** The value to write; undefined if it is not known. */
  value?: unknown;
  /** Whether nothing else can be meant. */
  sure?: boolean;
}

/** In an advice, the name of the field with its colon; nothing for an item of a list. */
export const FIELD = "<field>: ";

/** One that nothing else can be meant by. */
export const surely = (value: unknown, problem?: string): Reading =>
  problem === undefined ? { value, sure: true } : { value, sure: true, problem };

/**
 * A part of the JSON Schema of a kind. `title`, `examples` and the keywords with `x-` are for messages: no check and no CRD
 * has them.
 */
export interface SchemaNode {
  type?: string | readonly string[];
  /** The value to write, as a noun phrase: "GiB as a whole number". */
  title?: string;
  examples?: readonly unknown[];
  enum?: readonly (string | null)[];
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  minItems?: number;
  uniqueItems?: boolean;
  required?: readonly string[];
  properties?: Readonly<Record<string, SchemaNode>>;
  items?: SchemaNode;
  additionalProperties?: boolean | SchemaNode;
  propertyNames?: { pattern?: string };
  /** Of a number: GiB, vCPU, ms, percent, or share for a part of 1. */
  "x-unit"?: string;
  /** Other names that people give the field. */
  "x-aliases"?: readonly string[];
  /** Of such names, by the name: how the field does not say the same. */
  "x-unlike"?: Readonly<Record<string, string>>;
  /** Of a field for addresses: other names of it where they hold addresses, and that name an existing network elsewhere. */
  "x-network-names"?: readonly string[];
  /** Other names that people give its values. */
  "x-values"?: Readonly<Record<string, string>>;
  /** How to read a text that does not match the pattern: see read-text.ts. */
  "x-reads"?: string;
  /** Of a duration: the longest that is allowed, because the work of a decision grows with it. */
  "x-longest"?: string;
  /** Of a duration: the units that a number without one can mean, `[d, h]`; hours and minutes if omitted. */
  "x-bare-units"?: readonly string[];
  /** Of a duration: whether it may be zero. */
  "x-zero"?: boolean;
  /** Of a text: any word can be meant, also `yes` and `12`, which YAML reads as other types. */
  "x-free"?: boolean;
  /** The correction of a value that people write here, by the value as text. */
  "x-instead"?: Readonly<Record<string, string>>;
  /** Of a field whose examples would do something that is not meant, as to open a port: the form of its value, with what to fill in; empty if its title says it. */
  "x-own"?: string;
  /** Set for one object: the provider that the object names. */
  "x-provider"?: string;
  /** Of a time, for one object: the zone that the object names next to it. */
  "x-zone"?: string | undefined;
  /** Of a price, for one object: the hours of its run. */
  "x-hours"?: number | undefined;
  /** Examples by the provider that the object names. */
  "x-provider-examples"?: Readonly<Record<string, unknown>>;
  /** Of a switch: a map or a list that is there turns it on. */
  "x-present"?: boolean;
  /** Of a map: the field that a bare value stands for. */
  "x-bare"?: string;
  /** Of a map: the path of the field that a word without spaces stands for, by a pattern of the word. */
  "x-words"?: Readonly<Record<string, string>>;
  /** Of a map: fields that a provider does not take, or that have no effect there next to another one, and what to say of them. */
  "x-excluded"?: readonly { field: string; beside?: string; provider: string; correction: string }[];
  /** Of a text: what to do about a map or list that stands there. */
  "x-structure"?: string;
  /** Of a text: what to do about several values for it. */
  "x-several"?: string;
  /** Of a text: what to do about values that are excluded. */
  "x-excluding"?: string;
  /** Of a text that takes some values: the one that stands for all of them. */
  "x-together"?: string;
  /** Of a map by names: where the list of the things with these names stands. */
  "x-names"?: string;
  /** Of a number: it is a maximum, so that a fraction becomes the next whole number below. */
  "x-most"?: boolean;
  /** Of a number: the fields of its map that take a range's first and last number. */
  "x-range"?: readonly string[];
  /** Of a map that several values are written for: the field that takes those after the first. */
  "x-rest"?: string;
  /** Of such a map: the fields by which other tools say which value it takes, with the values that say so. */
  "x-marks"?: Readonly<Record<string, readonly string[]>>;
  /** Of an item of a list: the fields that the machine type of the item says as well. */
  "x-by-type"?: readonly string[];
  /** Of a map: the fields next to it without which it has no effect. */
  "x-needs"?: readonly string[];
  /** Of a field: the values of others without which it has no effect, where the object says none. */
  "x-with"?: Readonly<Record<string, string>>;
  /** Of a field: by another field and its value, the correction of a word here that the other one says in another way. */
  "x-said-by"?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Of a field that must be there: the value with which it changes nothing. */
  "x-unset"?: unknown;
  /** The correction of a field that the kind does not have. */
  "x-elsewhere"?: Readonly<Record<string, string>>;
  /** Of a whole schema: its fields are limits, so that one with an unknown name is never advised to be removed; false for a map in it without limits. */
  "x-limits"?: boolean;
}

/** `/ports/0/port` as `.ports[0].port`. */
export const dotted = (pointer: string): string =>
  keysOf(pointer).reduce((path, key) => (/^\d+$/.test(key) ? `${path}[${key}]` : `${path}.${key}`), "");

const inner = (value: unknown, key: string): unknown => {
  if (Array.isArray(value)) return value[Number(key)];
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
};

/** The value at a JSON pointer; undefined if there is none. */
export const valueAt = (spec: unknown, pointer: string): unknown => keysOf(pointer).reduce(inner, spec);

/** The schema of a field or key of this part; undefined if it has none. */
export function childOf(node: SchemaNode, key: string): SchemaNode | undefined {
  const { properties = {}, items, additionalProperties: others } = node;
  if (Object.hasOwn(properties, key)) return properties[key];
  return items ?? (typeof others === "object" ? others : undefined);
}

/** The schema at a JSON pointer; an empty one if it has none. */
export const nodeAt = (schema: SchemaNode, pointer: string): SchemaNode =>
  keysOf(pointer).reduce<SchemaNode>((node, key) => childOf(node, key) ?? {}, schema);

type IsKind = (text: string, node: SchemaNode) => boolean;

/** By `x-reads`, conditions beyond a pattern, which as that of a duration matches an empty text as well. */
const KINDS: Readonly<Record<string, IsKind>> = table({
  area: (text) => findArea(text) === text,
  // An address within a network is not the network.
  network: (text) => parseIpv4Network(text)?.hostBits !== true,
  "network-id": (text) => parseIpv4Network(text) === null,
  duration: (text, node) => (node["x-zero"] === true ? parseWait : parseDuration)(text) !== null,
  place: (text) => /^[a-z]+\/[a-z0-9-]+$/.test(text),
  "ssh-key": isPublicKey,
});

const isOfKind = (node: SchemaNode, text: string): boolean =>
  (KINDS[node["x-reads"] ?? ""]?.(text, node) ?? true) && (node.format !== "date-time" || parseTime(text) !== null);

function acceptsText(node: SchemaNode, text: string): boolean {
  const { enum: values, pattern, minLength = 0, maxLength = Infinity } = node;
  if (values?.includes(text) === false || text.length < minLength || text.length > maxLength) return false;
  return isOfKind(node, text) && (pattern === undefined || new RegExp(pattern, "u").test(text));
}

function acceptsNumber(node: SchemaNode, value: unknown): boolean {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = node;
  return Number(value) >= minimum && Number(value) <= maximum && Number(value) > exclusiveMinimum;
}

function acceptsMap(node: SchemaNode, value: Record<string, unknown>): boolean {
  const { required = [], propertyNames: { pattern } = {} } = node;
  return (
    required.every((name) => value[name] !== undefined) &&
    Object.entries(value).every(([key, one]) => {
      const child = childOf(node, key);
      return (
        child !== undefined && accepts(child, one) && (pattern === undefined || new RegExp(pattern, "u").test(key))
      );
    })
  );
}

/** The type of a part, without null; that of a list of values is a text. */
export const typeOf = ({ type, enum: values }: SchemaNode): string | undefined =>
  typeof type === "string" ? type : (type?.find((one) => one !== "null") ?? (values && "string"));

const acceptsNull = ({ type, enum: values }: SchemaNode): boolean =>
  (Array.isArray(type) && type.includes("null")) || values?.includes(null) === true;

const acceptsList = ({ minItems = 0, maxItems = Infinity, items = {} }: SchemaNode, value: unknown): boolean =>
  Array.isArray(value) &&
  value.length >= minItems &&
  value.length <= maxItems &&
  value.every((one) => accepts(items, one));

type Accepts = (node: SchemaNode, value: unknown) => boolean;

const BY_TYPE: Readonly<Record<string, Accepts>> = table({
  integer: (node, value) => Number.isSafeInteger(value) && acceptsNumber(node, value),
  number: (node, value) => typeof value === "number" && acceptsNumber(node, value),
  string: (node, value) => typeof value === "string" && acceptsText(node, value),
  array: acceptsList,
  object: (node, value) => isObject(value) && acceptsMap(node, value),
});

/** Whether this part of the schema accepts a value. For corrections, which are few and small. */
export function accepts(node: SchemaNode, value: unknown): boolean {
  if (value === null) return acceptsNull(node);
  const type = typeOf(node) ?? "";
  return BY_TYPE[type]?.(node, value) ?? typeof value === type;
}
