import { isObject } from "../../../model/json.ts";
import { error, type Rule, type Schema } from "./lint-rule.ts";

const DEFINITIONS = "#/$defs/";

function definitionOf(root: Schema, reference: string): unknown {
  const definitions = root["$defs"];
  return isObject(definitions) ? definitions[reference.slice(DEFINITIONS.length)] : undefined;
}

/** Whether this reference is found within a schema, also by way of other references. */
function refersTo(root: Schema, schema: unknown, reference: string, seen: Set<string>): boolean {
  if (Array.isArray(schema)) return schema.some((one) => refersTo(root, one, reference, seen));
  if (!isObject(schema)) return false;
  const next = schema["$ref"];
  if (next === reference) return true;
  if (typeof next === "string" && !seen.has(next)) {
    seen.add(next);
    if (refersTo(root, definitionOf(root, next), reference, seen)) return true;
  }
  return Object.values(schema).some((one) => refersTo(root, one, reference, seen));
}

/** Core-provider follows references to objects under `$defs` alone. */
export const objectReference: Rule = ({ $ref: reference }, { root }) => {
  if (typeof reference !== "string") return null;
  if (!reference.startsWith(DEFINITIONS))
    return error(`$ref ${reference} becomes an empty object: put the schema under ${DEFINITIONS}`);
  const target = definitionOf(root, reference);
  if (refersTo(root, target, reference, new Set()))
    return error(
      `$ref ${reference} refers to itself, so the API server rejects the CRD: end it with a type of its own`,
    );
  if (isObject(target) && isObject(target["properties"])) return null;
  return error(
    `$ref ${reference} names no object with properties, and becomes an empty object: write the schema in its place`,
  );
};
