import { canonicalJson, isObject } from "../../model/json.ts";
import { sha256 } from "../../model/sha256.ts";
import type { Reference, Resource } from "./types.ts";

/** The value at a dotted path, undefined if a part is missing. Of a list, the first item is read. */
export function valueAt(root: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => {
    const here: unknown = Array.isArray(value) ? value[0] : value;
    return isObject(here) ? here[key] : undefined;
  }, root);
}

export function textAt(root: unknown, path: string): string | null {
  const value = valueAt(root, path);
  return typeof value === "string" && value !== "" ? value : null;
}

export function numberAt(root: unknown, path: string): number | null {
  const value = valueAt(root, path);
  return typeof value === "number" ? value : null;
}

/** An entry of a list in a spec or status. */
export type Entry = Record<string, unknown>;

/** The objects of the list at a dotted path; empty if there is none. */
export function listAt(root: unknown, path: string): Entry[] {
  const found = path.split(".").reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), root);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

type Target = readonly [group: string, kind: string];

/** The references in a spec, at any depth: `targetOf` names the target by the field's key, `at` is the name's path. */
export function referencesOf(
  resource: Resource,
  targetOf: (key: string) => Target | undefined,
  at: string,
): Reference[] {
  const visit = (value: unknown, key: string): Reference[] => {
    if (Array.isArray(value)) return value.flatMap((item) => visit(item, key));
    if (!isObject(value)) return [];
    const [target, name] = [targetOf(key), textAt(value, `${at}name`)];
    const inner = Object.entries(value).flatMap(([child, item]) => visit(item, child));
    if (target === undefined || name === null) return inner;
    const namespace = textAt(value, `${at}namespace`) ?? resource.metadata.namespace;
    return [{ group: target[0], kind: target[1], namespace, name, owner: false }, ...inner];
  };
  return visit(resource.spec, "");
}

/** The condition of a type; undefined if there is none. */
export function conditionOf(resource: Resource, type: string): Record<string, unknown> | undefined {
  const conditions: unknown = resource.status?.["conditions"];
  if (!Array.isArray(conditions)) return undefined;
  return conditions.find(
    (condition): condition is Record<string, unknown> => isObject(condition) && condition["type"] === type,
  );
}

/** Hexadecimal digits that depend on `seed` alone: the same object gets the same ids and times in every run. */
export const digits = (seed: unknown, length: number): string => sha256(canonicalJson(seed)).slice(0, length);

/** A number in [0, 1) that depends on `seed` alone. */
export const fraction = (seed: string): number => Number.parseInt(digits(seed, 8), 16) / 2 ** 32;

const identityOf = (resource: Resource): string =>
  `${resource.kind}/${resource.metadata.namespace}/${resource.metadata.name}/${resource.metadata.uid}`;

/** An id in the format of a cloud: `prefix` and hexadecimal digits. */
export const cloudId = (prefix: string, resource: Resource, length = 17): string =>
  `${prefix}${digits(identityOf(resource), length)}`;

export function uuidOf(resource: Resource): string {
  const hex = digits(identityOf(resource), 32);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join("-");
}

/** An address of 203.0.113.0/24 (RFC 5737: reserved for examples). */
export const publicAddress = (resource: Resource): string =>
  `203.0.113.${1 + Math.floor(fraction(identityOf(resource)) * 254)}`;
