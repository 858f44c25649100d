import { isObject } from "../../model/json.ts";
import type { Schema } from "./convert-schema.ts";

/**
 * Stands for a field that only another version has: any value is kept and none is checked, so a client of this version
 * can read and write an object without losing it.
 */
const CARRIED = {
  description: "A field of another version of this kind. Its value is kept.",
  "x-kubernetes-preserve-unknown-fields": true,
} as const;

const isCarried = (schema: unknown): boolean => isObject(schema) && schema["description"] === CARRIED.description;

const propertiesOf = (schema: unknown): Schema =>
  isObject(schema) && isObject(schema["properties"]) ? schema["properties"] : {};

const itemsOf = (schema: unknown): unknown => (isObject(schema) ? schema["items"] : undefined);

/** The schema without the fields that were carried into it. */
export function ownFields(schema: Schema): Schema {
  const own = Object.entries(propertiesOf(schema)).filter(([, inner]) => !isCarried(inner));
  const items = schema["items"];
  return {
    ...schema,
    ...("properties" in schema && {
      properties: Object.fromEntries(own.map(([name, inner]) => [name, isObject(inner) ? ownFields(inner) : inner])),
    }),
    ...(isObject(items) && { items: ownFields(items) }),
  };
}

/** `schema` with a place for each field that only `others` have, at any depth. An object without properties stays open. */
export function carryFields(schema: Schema, others: readonly unknown[]): Schema {
  const items = schema["items"];
  const carriedItems = isObject(items) ? { items: carryFields(items, others.map(itemsOf)) } : {};
  if (!isObject(schema["properties"])) return { ...schema, ...carriedItems };
  const theirs = others.map(propertiesOf);
  const own = Object.entries(schema["properties"]).map(([name, inner]) => [
    name,
    isObject(inner)
      ? carryFields(
          inner,
          theirs.map((properties) => properties[name]),
        )
      : inner,
  ]);
  const names = theirs.flatMap((properties) => Object.keys(properties));
  const carried = names.filter((name) => !(name in propertiesOf(schema))).map((name) => [name, CARRIED]);
  return { ...schema, properties: Object.fromEntries([...own, ...carried]) as Schema, ...carriedItems };
}
