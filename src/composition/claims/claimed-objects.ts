import { isObject } from "../../model/json.ts";
import type { Resource } from "../types.ts";

/** The objects that the record of a release or of a removal names, by their ids. */
export interface ClaimedObjects {
  /** Of the newest and the deployed revision. */
  current: readonly string[];
  /** Of earlier revisions and of removals: they may exist until their operators have deleted them. */
  former: readonly string[];
  /** Of a removal: those that the release itself leaves at their provider; omitted where that is not known. */
  kept?: readonly string[] | undefined;
}

const OBJECTS = "landfall.dev/objects";

/** All annotations of an object may have 256 KiB. */
const LONGEST = 64 * 1024;
/** In place of a longer list: the content of the record says it. */
const MANY = "many";

const areTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/** For the metadata of a record, which are listed without its content. */
export function objectsAnnotation(objects: ClaimedObjects): Record<string, string> {
  const text = JSON.stringify(objects);
  return { [OBJECTS]: text.length > LONGEST ? MANY : text };
}

/** Whether a record of this version of Landfall has the metadata. */
export const namesObjects = ({ metadata: { annotations = {} } }: Pick<Resource, "metadata">): boolean =>
  annotations[OBJECTS] !== undefined;

/** Null where the metadata do not say it: there are too many, or an earlier version of Landfall wrote the record. */
export function readObjects({ metadata: { annotations = {} } }: Pick<Resource, "metadata">): ClaimedObjects | null {
  try {
    const read: unknown = JSON.parse(annotations[OBJECTS] ?? "");
    if (!isObject(read) || !areTexts(read["current"]) || !areTexts(read["former"])) return null;
    const kept = areTexts(read["kept"]) ? read["kept"] : undefined;
    return { current: read["current"], former: read["former"], kept };
  } catch {
    return null;
  }
}
