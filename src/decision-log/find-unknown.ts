import kaasCluster from "../../schemas/kaas-cluster.schema.json" with { type: "json" };
import vmTemplate from "../../schemas/vm-template.schema.json" with { type: "json" };
import { isObject, pointerTo } from "../model/json.ts";
import { isKind } from "../model/names.ts";

/** The part of a JSON Schema that names fields. */
interface Fields {
  properties?: Readonly<Record<string, Fields>>;
  items?: Fields;
  additionalProperties?: boolean | Fields;
}

const SCHEMAS = { VmTemplate: vmTemplate as Fields, KaasCluster: kaasCluster as Fields };

function* unknownOf(fields: Record<string, unknown>, schema: Fields, path: readonly string[]): Iterable<string> {
  const { properties = {}, additionalProperties: others = true } = schema;
  for (const [key, inner] of Object.entries(fields)) {
    const known = Object.hasOwn(properties, key) ? properties[key] : others;
    if (known === false) yield pointerTo([...path, key]);
    else yield* unknownIn(inner, typeof known === "object" ? known : {}, [...path, key]);
  }
}

function* unknownIn(value: unknown, schema: Fields, path: readonly string[]): Iterable<string> {
  if (isObject(value)) yield* unknownOf(value, schema, path);
  if (!Array.isArray(value)) return;
  for (const [index, item] of value.entries()) yield* unknownIn(item, schema.items ?? {}, [...path, String(index)]);
}

/**
 * JSON pointers of the fields of a logged object's spec that its kind does not have. Nothing is known of their values: they can be passwords
 * under any name.
 */
export function findUnknown(object: unknown, path: readonly string[]): ReadonlySet<string> {
  const kind = isObject(object) && typeof object["kind"] === "string" ? object["kind"] : "";
  if (!isObject(object) || !isKind(kind)) return new Set();
  return new Set(unknownIn(object["spec"], SCHEMAS[kind], [...path, "spec"]));
}
