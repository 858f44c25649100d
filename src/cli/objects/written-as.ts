import { type Document, isMap, isScalar, isSeq, type Node, type Scalar } from "yaml";
import { otherText } from "../../model/file-faults/document-fault.ts";
import { isObject, pointerKey, textOf } from "../../model/json.ts";

/** The text in a file of a value that YAML reads as another one. */
export interface Written {
  /** `0042`, which is the number 34. */
  text: string;
  /** `!!str`; undefined if it has none. */
  tag: string | undefined;
}

/** By the map or list that holds the value. A manifest's values are ordinary ones, so their texts are kept next to them. */
const TEXTS = new WeakMap<object, Map<string, Written>>();

/** The text of a value that the file writes otherwise than the value reads; undefined for the others. */
export const writtenAs = (holder: object, key: string): Written | undefined => TEXTS.get(holder)?.get(key);

/** `!!str` of `tag:yaml.org,2002:str`. */
const shortTag = (tag: string): string => tag.replace(/^tag:yaml\.org,2002:/, "!!");

function writtenText(scalar: Scalar): Written | null {
  const { source, tag, value } = scalar;
  if (source === undefined || value === null) return null;
  if (tag !== undefined) return { text: source, tag: shortTag(tag) };
  return otherText(scalar) === null ? null : { text: source, tag: undefined };
}

function noteChild(holder: object, key: string, node: unknown, value: unknown): void {
  const written = isScalar(node) ? writtenText(node) : null;
  if (written === null) {
    noteWritten(node as Node, value);
    return;
  }
  const texts = TEXTS.get(holder) ?? new Map<string, Written>();
  TEXTS.set(holder, texts.set(key, written));
}

/** Whether a pair takes the fields of another map into this one: its key is a symbol. */
const isMerge = (key: unknown): boolean => isScalar(key) && typeof key.value === "symbol";

/** The key of a pair in the value that the document becomes. */
const keyOf = (key: unknown): string => textOf(isScalar(key) ? key.value : key);

/** Keeps the texts of a document, or a part of one, for the value that was made of it. */
export function noteWritten(node: Document["contents"] | Node, value: unknown): void {
  if (isSeq(node) && Array.isArray(value))
    for (const [index, item] of node.items.entries()) noteChild(value, String(index), item, value[index]);
  if (isMap(node) && isObject(value))
    for (const { key, value: child } of node.items)
      if (!isMerge(key)) noteChild(value, keyOf(key), child, value[keyOf(key)]);
}

/** A value that the file writes otherwise, with its JSON pointer. */
export type WrittenValue = readonly [pointer: string, value: unknown, written: Written];

/** The values within this one that are written otherwise, by their JSON pointers. */
export function writtenWithin(value: unknown, pointer = ""): WrittenValue[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]: [string, unknown]) => {
    const path = `${pointer}/${pointerKey(key)}`;
    const written = writtenAs(value, key);
    return written === undefined ? writtenWithin(one, path) : [[path, one, written] as const];
  });
}
