import { isObject } from "../../json.ts";
import type { SchemaNode } from "../schema-node.ts";
import { readValue } from "./read-value.ts";
import { byAlias, sameName } from "./read-within.ts";

/** By schema and provider: there are few of both. */
const made = new WeakMap<SchemaNode, Map<string, SchemaNode>>();

const mapped = (nodes: Readonly<Record<string, SchemaNode>>, provider: string): Readonly<Record<string, SchemaNode>> =>
  Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, ofProvider(node, provider)]));

/** A part of a schema with the provider, and with examples that this provider takes. */
function ofProvider(node: SchemaNode, provider: string): SchemaNode {
  const { properties, items, "x-provider-examples": examples = {} } = node;
  const { [provider]: example } = examples;
  return {
    ...node,
    "x-provider": provider,
    ...(example === undefined ? {} : { examples: [example] }),
    ...(properties === undefined ? {} : { properties: mapped(properties, provider) }),
    ...(items === undefined ? {} : { items: ofProvider(items, provider) }),
  };
}

/** The provider that an object names, also in the words of another tool; undefined for none. */
function providerIn(schema: SchemaNode, spec: unknown): string | undefined {
  if (!isObject(spec) || schema.properties?.["provider"] === undefined) return undefined;
  const [, given] =
    Object.entries(spec).find(([name]) => sameName(schema, name) === "provider") ??
    Object.entries(spec).find(([name, value]) => byAlias(schema, name, value) === "provider") ??
    [];
  const provider = readValue(schema.properties["provider"], given)?.value;
  return typeof provider === "string" ? provider : undefined;
}

/** The schema for one object: its corrections and examples are those of the provider that the object names. */
export function forProvider(schema: SchemaNode, spec: unknown): SchemaNode {
  const provider = providerIn(schema, spec);
  if (provider === undefined) return schema;
  const known = made.get(schema) ?? new Map<string, SchemaNode>();
  const found = known.get(provider) ?? ofProvider(schema, provider);
  made.set(schema, known.set(provider, found));
  return found;
}
