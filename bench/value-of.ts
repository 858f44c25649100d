import { isObject } from "../src/model/json.ts";

/** The value under nested keys; undefined if one is missing. */
export const valueOf = (root: unknown, ...keys: string[]): unknown =>
  keys.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), root);
