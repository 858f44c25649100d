import { type Document, isScalar, visit } from "yaml";
import { faultAt, type YamlFault } from "../../model/file-faults/yaml-fault.ts";
import { textOf } from "../../model/json.ts";

/** The first names of an object: a second one at the beginning of a line begins another object. */
const FIRST: readonly string[] = ["apiVersion", "kind", "metadata"];

function faultOf(source: string, at: number, name: string): YamlFault {
  const fault = faultAt(source, at, "DUPLICATE_KEY");
  if (fault.column !== 1 || !FIRST.includes(name)) return fault;
  const detail = fault.detail.replace(
    /has a field that its map has already$/,
    "begins a second object in one document",
  );
  return { ...fault, detail, correction: "write --- on a line before it" };
}

/**
 * The first field that its map has already; null if there is none. The parser compares each name with all before it: 60,000 names of one map would
 * take it a minute.
 */
export function duplicateFault(source: string, document: Document): YamlFault | null {
  let fault: YamlFault | null = null;
  visit(document, {
    Map(_key, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) {
          fault = faultOf(source, key.range?.[0] ?? 0, textOf(key.value));
          return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return fault;
}
