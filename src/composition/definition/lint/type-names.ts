import { isObject } from "../../../model/json.ts";
import { error, type Schema, type SchemaProblem, typesOf } from "./lint-rule.ts";

// Core-provider makes a Go type of every object, enum and definition, and names it after its field, without its path:
// krateoplatformops/plumbing 1.7.2, crdgen/coders/types.go. It knows its own names among objects and among enums, and no others: of two
// kinds of types with one name, one silently takes the other's place. Run on 2026-11-22, with controller-gen 0.18.0.

type Origin = "object" | "enum" | "definition" | "kind";

interface Named {
  name: string;
  origin: Origin;
  path: string;
}

/** `node-pool`: `NodePool`; `nodePool`: `Nodepool`. */
const typeName = (field: string): string =>
  field
    .split(/[^a-zA-Z0-9]+/)
    .map((part) => `${part.slice(0, 1).toUpperCase()}${part.slice(1).toLowerCase()}`)
    .join("");

function originOf(schema: Schema): Origin | null {
  const type = typesOf(schema).join();
  if (Array.isArray(schema["enum"]) && schema["enum"].length > 0 && ["string", "integer"].includes(type)) return "enum";
  return type === "object" ? "object" : null;
}

/** The types of a field, or of a list's items, and of what is within. */
function typesAt(schema: unknown, name: string, path: string): Named[] {
  if (!isObject(schema) || typeof schema["$ref"] === "string") return [];
  if (typesOf(schema).join() === "array") return typesAt(schema["items"], `${name}Item`, `${path}.items`);
  const origin = originOf(schema);
  return [...(origin === null ? [] : [{ name, origin, path }]), ...typesIn(schema, `${path}.`)];
}

function typesIn(schema: Schema, path: string): Named[] {
  if (!isObject(schema["properties"])) return [];
  return Object.entries(schema["properties"]).flatMap(([field, inner]) =>
    typesAt(inner, typeName(field), `${path}properties.${field}`),
  );
}

function definitionsIn(schema: Schema): Named[] {
  if (!isObject(schema["$defs"])) return [];
  return Object.entries(schema["$defs"]).flatMap(([name, inner]) => {
    const path = `$defs.${name}`;
    const within = isObject(inner) ? typesIn(inner, `${path}.`) : [];
    return [{ name: typeName(name), origin: "definition" as const, path }, ...within];
  });
}

const CALLED: Record<Origin, string> = {
  object: "an object",
  enum: "an enum",
  definition: "a definition",
  kind: "the kind itself",
};

/** Fields that get each other's type, because core-provider gives both types one name. `kind`: of the chart's objects, if it is known. */
export function clashingTypes(schema: Schema, kind?: string): SchemaProblem[] {
  const ofKind = kind === undefined ? [] : ["", "Spec", "Status", "List"].map((suffix) => `${kind}${suffix}`);
  const kinds = ofKind.map((name): Named => ({ name, origin: "kind", path: "" }));
  const all = [...kinds, ...definitionsIn(schema), ...typesIn(schema, "")];
  return all.flatMap(({ name, origin, path }, index) => {
    const other = all.slice(0, index).find((one) => one.name === name && one.origin !== origin);
    if (other === undefined) return [];
    const first = `${CALLED[other.origin]}${other.path === "" ? "" : ` (${other.path})`}`;
    return [
      {
        path,
        ...error(
          `core-provider gives ${CALLED[origin]} the name ${name}, which ${first} has already, and one takes the other's place: name one of them differently`,
        ),
      },
    ];
  });
}
