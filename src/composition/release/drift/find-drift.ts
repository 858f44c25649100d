import { isObject } from "../../../model/json.ts";
import type { Resource } from "../../types.ts";
import { isWrittenBack } from "./written-back.ts";

/** Parts of a manifest that are compared; a Secret's stringData and metadata read back differently than written. */
const COMPARED = ["spec", "data"] as const;

/** Operators take an empty text for none, as they do with lists and objects. */
const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.values(value).every(isEmpty));

/** Whether a difference is not drift. */
type Excused = (path: string, wanted: unknown) => boolean;

function firstDifference(wanted: unknown, found: unknown, path: string, excused: Excused): string | null {
  if (isEmpty(wanted) && isEmpty(found)) return null;
  const here = (): string | null => (excused(path, wanted) ? null : path);
  if (Array.isArray(wanted)) {
    if (!Array.isArray(found) || found.length !== wanted.length) return here();
    return firstOf(wanted.map((item, index) => firstDifference(item, found[index], `${path}[${index}]`, excused)));
  }
  if (isObject(wanted)) {
    if (!isObject(found)) return here();
    return firstOf(
      Object.keys(wanted).map((key) => firstDifference(wanted[key], found[key], `${path}.${key}`, excused)),
    );
  }
  return wanted === found ? null : here();
}

const firstOf = (found: (string | null)[]): string | null => found.find((difference) => difference !== null) ?? null;

/**
 * The first field of the manifest that differs in the live object, e.g. `spec.machineType`; null for none. Fields that only
 * the live object has come from its operator (late initialisation) and are not drift, nor are those that it writes back.
 */
export function findDrift(manifest: Resource, live: Resource): string | null {
  const excused: Excused = (path, wanted) => isWrittenBack(live, path, wanted);
  return firstOf(COMPARED.map((part) => firstDifference(manifest[part], live[part], part, excused)));
}
