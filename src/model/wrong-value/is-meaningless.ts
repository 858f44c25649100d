import { isObject } from "../json.ts";
import { readForeign } from "./read/read-foreign.ts";
import { readValue } from "./read/read-value.ts";
import { folded } from "./read/read-within.ts";
import { type SchemaNode, typeOf } from "./schema-node.ts";

/** A word of another tool: almost all machine types have a digit. */
const isWord = (name: string, value: unknown): boolean =>
  folded(name) === "type" && typeof value === "string" && !/\d/.test(value);

/** Whether a map stands where one value is, and is not understood there. */
function isOther(child: SchemaNode, value: unknown): boolean {
  const isScalar = !["object", "array"].includes(typeOf(child) ?? "") && child["x-structure"] === undefined;
  const holdsMaps = [value].flat().some(isObject);
  return isScalar && holdsMaps && readForeign(child, value) === null && readValue(child, value)?.advice === undefined;
}

/** Whether a value says that its field is not the one that the name stands for: `type: batch`, and `strategy: {matrix: …}`. */
export const isMeaningless = (child: SchemaNode, name: string, value: unknown): boolean =>
  isWord(name, value) || isOther(child, value);
