import { isObject } from "../model/json.ts";

type Fields = Record<string, unknown>;

/** Several partial objects as one, objects within them too; a later one wins. Fields that are undefined are left out. */
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

/** Undefined for a list or an object that holds nothing: kOps leaves such fields out. */
export const unlessEmpty = <T extends object>(value: T | undefined): T | undefined =>
  value === undefined || Object.keys(value).length === 0 ? undefined : value;
