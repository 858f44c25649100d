import type { Reading, SchemaNode } from "../schema-node.ts";

/** Windows, which `os` does not have. */
export function readSystem({ enum: all = [] }: SchemaNode, text: string): Reading | null {
  if (!/^(?:microsoft[ _-]?)?win(?:dows|server|\d|$)/i.test(text.trim())) return null;
  return { problem: "is Windows, which os does not have", advice: `write one of ${all.join(", ")}` };
}
