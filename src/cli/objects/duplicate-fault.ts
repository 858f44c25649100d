import { type Document, isScalar, visit } from "yaml";
import { faultAt, type YamlFault } from "../../model/file-faults/yaml-fault.ts";

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
          fault = faultAt(source, key.range?.[0] ?? 0, "DUPLICATE_KEY");
          return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return fault;
}
