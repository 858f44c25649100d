import { textOf } from "../../../model/json.ts";

export interface SchemaProblem {
  /** Path in the schema, e.g. `properties.cpu`. */
  path: string;
  /** An error breaks the CRD or misleads its users; a note is dropped silently by Krateo, so admission must enforce it. */
  level: "error" | "note";
  message: string;
}

export type Schema = Record<string, unknown>;

/**
 * The position of a schema. Krateo's generator writes markers for fields; of the items of a field's list only for their length; and none
 * for what is deeper, such as the items of a list of lists, and the values of a map.
 */
export interface Place {
  root: Schema;
  as: "field" | "items" | "deeper" | "definition";
}

export type Found = Omit<SchemaProblem, "path">;

/** The problem of one schema, without those within it; null for none. */
export type Rule = (schema: Schema, place: Place) => Found | null;

export const error = (message: string): Found => ({ level: "error", message });
export const note = (message: string): Found => ({ level: "note", message });

/** The types of a schema, without null, which makes a field nullable. */
export const typesOf = (schema: Schema): string[] =>
  [schema["type"]]
    .flat()
    .filter((type) => type !== undefined && type !== "null")
    .map(textOf);

/** Those of these keywords that the schema has, as text; null for none. */
export function keywordsIn(schema: Schema, keywords: readonly string[]): string | null {
  const found = keywords.filter((key) => key in schema);
  return found.length === 0 ? null : found.join(", ");
}
