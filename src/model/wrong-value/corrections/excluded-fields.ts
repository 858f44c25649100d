import type { PatchOperation } from "../../decision.ts";
import { isObject, pointerTo } from "../../json.ts";
import type { Found } from "../explain-value.ts";
import { readValue } from "../read/read-value.ts";
import { type SchemaNode, valueAt } from "../schema-node.ts";

const SPEC = "/spec";

type Fields = Record<string, unknown>;

/** Fields of a map that the object's provider does not take, or that have no effect there next to another one. */
export function excludedFrom(schema: SchemaNode, spec: unknown, field: string, whole: Fields): Excluded[] {
  const { properties = {} } = schema;
  const provider = readValue(properties["provider"] ?? {}, valueAt(spec, "/provider"))?.value;
  const all = properties[field]?.["x-excluded"] ?? [];
  return all.filter(({ provider: of, field: name, beside }) => {
    if (of !== provider) return false;
    return beside === undefined ? whole[name] !== undefined : whole[name] === true && isObject(whole[beside]);
  });
}

export type Excluded = NonNullable<SchemaNode["x-excluded"]>[number];

/** A correction without the fields of a map that are excluded from it, in what it writes. */
export function stripped(found: Found, field: string, excluded: readonly Excluded[]): Found {
  const names = excluded.map((one) => one.field);
  const likely = found.likely?.map((one): PatchOperation => {
    const isMap = one.path === SPEC + pointerTo([field]) && isObject(one.value);
    return isMap ? { ...one, value: withoutNames(one.value as Fields, names) } : one;
  });
  return likely === undefined ? found : { ...found, likely };
}

/** A map without some of its fields. */
export const withoutNames = (map: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(map).filter(([name]) => !names.includes(name)));
