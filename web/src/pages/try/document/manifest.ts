import { type Document, isNode, parseDocument, stringify } from "yaml";
import { KUBERNETES_YAML } from "../../../../../src/model/formats/kubernetes-yaml.ts";
import { isObject, keysOf } from "../../../../../src/model/json.ts";

// The text is the document; the form and the editor are two views of it. So a change by the form keeps comments and order.

/** The keys from the top of an object to a value; a number is a position in a list. */
export type Path = readonly (string | number)[];

export interface Fault {
  from: number;
  to: number;
  message: string;
}

export interface Manifest {
  text: string;
  /** Null if the text is not one YAML map. */
  value: Record<string, unknown> | null;
  faults: readonly Fault[];
}

const WRITTEN = { lineWidth: 0 } as const;

const parse = (text: string): Document => parseDocument(text, { ...KUBERNETES_YAML, prettyErrors: false });

/** The value, or why there is none: an alias can name nothing, or more than can be held. */
function valueOf(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 }) as unknown;
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown));
  }
}

/** Reads the text as kubectl does. */
export function readManifest(text: string): Manifest {
  const document = parse(text);
  const faults = document.errors.map(({ pos: [from, to], message }) => ({
    ...{ from, to: Math.max(to, from), message: message.split("\n")[0] ?? message },
  }));
  if (faults.length > 0) return { text, value: null, faults };
  const value = valueOf(document);
  if (value instanceof Error)
    return { text, value: null, faults: [{ from: 0, to: text.length, message: value.message }] };
  if (isObject(value)) return { text, value, faults };
  return { text, value: null, faults: [{ from: 0, to: text.length, message: "This is not an object." }] };
}

/** The value at a path; undefined if there is none. */
export const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((found, key) => {
    if (Array.isArray(found)) return found[Number(key)] as unknown;
    return isObject(found) && Object.hasOwn(found, String(key)) ? found[String(key)] : undefined;
  }, value);

/** Maps that have become empty go with their last field, up to the spec. */
function removeAt(document: Document, path: Path): void {
  document.deleteIn(path);
  const parent = path.slice(0, -1);
  if (parent.length < 2) return;
  const left: unknown = document.getIn(parent, true);
  const { items } = (left ?? {}) as { items?: unknown[] };
  if (items?.length === 0) removeAt(document, parent);
}

/** A path whose parents are there as maps or lists, so that a value can be set in it. */
function prepare(document: Document, path: Path): void {
  for (let end = 1; end < path.length; end++) {
    const parent = path.slice(0, end);
    const found: unknown = document.getIn(parent, true);
    if (typeof found !== "object" || found === null || !("items" in found))
      document.setIn(parent, document.createNode(typeof path[end] === "number" ? [] : {}));
  }
}

/** The text with another value at a path; without it if the value is undefined. A text that is not YAML stays as it is. */
export function withValue(text: string, path: Path, value: unknown): string {
  const document = parse(text);
  if (document.errors.length > 0) return text;
  if (value === undefined) removeAt(document, path);
  else {
    prepare(document, path);
    document.setIn(path, typeof value === "object" ? document.createNode(value) : value);
  }
  return document.toString(WRITTEN);
}

/** An operation of RFC 6902. */
export interface Operation {
  op: string;
  path: string;
  value?: unknown;
}

/** The path of a pointer into a value: a part is a position where a list is. */
function pathOf(value: unknown, pointer: string): Path {
  const path: (string | number)[] = [];
  for (const key of keysOf(pointer)) path.push(Array.isArray(valueAt(value, path)) && key !== "-" ? Number(key) : key);
  return path;
}

/** The text with the change that a denial offers. A test changes nothing. */
export function withPatch(text: string, operations: readonly Operation[]): string {
  let changed = text;
  for (const { op, path: pointer, value } of operations) {
    if (op === "test") continue;
    const { value: whole } = readManifest(changed);
    changed = withValue(changed, pathOf(whole, pointer), op === "remove" ? undefined : value);
  }
  return changed;
}

/** The place of a value in the text; of the nearest one above it that is there. */
export function rangeOf(text: string, path: Path): { from: number; to: number } {
  const document = parse(text);
  for (let length = path.length; length > 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return { from: node.range[0], to: Math.max(node.range[0], node.range[1]) };
  }
  return { from: 0, to: Math.min(text.length, text.indexOf("\n") < 0 ? text.length : text.indexOf("\n")) };
}

/** `spec.ports[0].port` as a path. */
export const pathIn = (field: string): Path =>
  field.split(/[.[\]]+/).flatMap((part) => (part === "" ? [] : [/^\d{1,6}$/.test(part) ? Number(part) : part]));

/** A path as messages write it: `spec.ports[0].port`. */
export const fieldOf = (path: Path): string =>
  path.map((key, at) => (typeof key === "number" ? `[${String(key)}]` : at === 0 ? key : `.${key}`)).join("");

/** An object as the text of a new document. */
export const written = (value: unknown): string => stringify(value, { ...KUBERNETES_YAML, ...WRITTEN });
