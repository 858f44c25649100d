import { isObject } from "../json.ts";

/** A problem of a setting. */
export interface SettingProblem {
  /** `exemptions[0].codes[1]` */
  field: string;
  /** The value, why it is wrong, and what to write. */
  detail: string;
}

/** A part of the settings with its field. */
export type Found = readonly [field: string, value: unknown];

/** The fields of a map, with their names after `field`. */
export const fieldsOf = (field: string, value: unknown): Found[] =>
  isObject(value) ? Object.entries(value).map(([name, one]) => [`${field}.${name}`, one]) : [];

/** The items of a list, with their index after `field`; of another value itself. */
export const itemsOf = (field: string, value: unknown): Found[] =>
  Array.isArray(value) ? value.map((one: unknown, index) => [`${field}[${String(index)}]`, one]) : [[field, value]];

/** A value inside of maps; undefined if one of them is none. */
export const inside = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((one, key) => (isObject(one) ? one[key] : undefined), value);
