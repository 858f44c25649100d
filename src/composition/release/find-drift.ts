import { isObject } from "../../model/json.ts";
import type { Resource } from "../types.ts";

/** Parts of a manifest that are compared; a Secret's stringData and metadata read back differently than written. */
const COMPARED = ["spec", "data"] as const;

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.values(value).every(isEmpty));

function firstDifference(wanted: unknown, found: unknown, path: string): string | null {
  if (isEmpty(wanted) && isEmpty(found)) return null;
  if (Array.isArray(wanted)) {
    if (!Array.isArray(found) || found.length !== wanted.length) return path;
    return firstOf(wanted.map((item, index) => firstDifference(item, found[index], `${path}[${index}]`)));
  }
  if (isObject(wanted)) {
    if (!isObject(found)) return path;
    return firstOf(Object.keys(wanted).map((key) => firstDifference(wanted[key], found[key], `${path}.${key}`)));
  }
  return wanted === found ? null : path;
}

const firstOf = (differences: (string | null)[]): string | null =>
  differences.find((difference) => difference !== null) ?? null;

/**
 * The first field of the manifest that differs in the live object, e.g. `spec.machineType`; null for none. Fields that only
 * the live object has come from its operator (late initialisation) and are not drift.
 */
export function findDrift(manifest: Resource, live: Resource): string | null {
  return firstOf(COMPARED.map((part) => firstDifference(manifest[part], live[part], part)));
}
