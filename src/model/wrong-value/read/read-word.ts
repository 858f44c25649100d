import type { Reading, SchemaNode } from "../schema-node.ts";

/** A word that is an id or a name: `my-vpc` of a network is `{existing: {network: my-vpc}}`. Null for others. */
export function readWord({ "x-words": words = {} }: SchemaNode, value: unknown): Reading | null {
  const text = typeof value === "string" && /^[\w./:-]{1,300}$/.test(value) ? value : null;
  const [, path] = Object.entries(words).find(([pattern]) => new RegExp(pattern, "u").test(text ?? "")) ?? [];
  if (path === undefined || text === null) return null;
  return { value: path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), text) };
}
