import { isObject } from "../../model/json.ts";

type Node = Record<string, unknown>;

/** Keywords that only this release's own schema has: they are for people, and charts omit them. */
const HINTS = ["title", "description", "examples", "x-unit", "x-reads"] as const;

const fieldsOf = (node: Node): Node => (isObject(node["properties"]) ? node["properties"] : {});

/** The fields of the served schema, in the order of the known one where that has them. */
function inOrder(served: readonly string[], known: readonly string[], keepsOrder: boolean): string[] {
  if (keepsOrder) return [...served];
  return [...known.filter((name) => served.includes(name)), ...served.filter((name) => !known.includes(name))];
}

/**
 * The schema that a form is made of: what the cluster serves decides which fields and values there are; titles, units and examples
 * come from this release's schema, where the fields are the same. `keepsOrder`: whether the served schema has its author's order,
 * which a CRD loses. Pure.
 */
export function formSchema(served: Node, known: Node, keepsOrder: boolean): Node {
  const hints = Object.fromEntries(
    HINTS.filter((name) => served[name] === undefined && known[name] !== undefined).map((name) => [name, known[name]]),
  );
  const child = (name: "items" | "additionalProperties"): Node => {
    const [own, other] = [served[name], known[name]];
    return isObject(own) && isObject(other) ? { [name]: formSchema(own, other, keepsOrder) } : {};
  };
  const [own, others] = [fieldsOf(served), fieldsOf(known)];
  const names = inOrder(Object.keys(own), Object.keys(others), keepsOrder);
  const properties = names.map((name) => {
    const [field, other] = [own[name], others[name]];
    return [name, isObject(field) && isObject(other) ? formSchema(field, other, keepsOrder) : field];
  });
  return {
    ...{ ...served, ...hints, ...child("items"), ...child("additionalProperties") },
    ...(names.length === 0 ? {} : { properties: Object.fromEntries(properties) as Node }),
  };
}
