import { isObject } from "../model/json.ts";

type Fields = Record<string, unknown>;

/** Merges partial objects deeply; later ones win. Undefined fields are omitted. */
export function merge(parts: readonly Fields[]): Fields {
  const whole: Fields = {};
  for (const part of parts)
    for (const [key, value] of Object.entries(part)) {
      const present = whole[key];
      if (value === undefined) continue;
      whole[key] = isObject(present) && isObject(value) ? merge([present, value]) : value;
    }
  return whole;
}

/** Undefined for an empty list or object: kOps omits such fields. */
export const unlessEmpty = <T extends object>(value: T | undefined): T | undefined =>
  value === undefined || Object.keys(value).length === 0 ? undefined : value;
