import { type Document, isAlias, isCollection, isNode, isScalar, type Scalar, visit } from "yaml";
import { otherText } from "./written-as.ts";
import { shownLine } from "../../model/file-faults/shown-line.ts";
import { faultAt, type YamlFault } from "../../model/file-faults/yaml-fault.ts";

/** The fault at a place, in other words than those of the parser. */
function toldAt(source: string, offset: number, what: string, correction: string): YamlFault {
  const fault = faultAt(source, offset, "");
  const text = shownLine(source.split("\n")[fault.line - 1] ?? "");
  return { ...fault, detail: `${text} ${what}`.trim(), correction };
}

/** The fault of a name without quotes that YAML reads as another one: `n` and `off` are false, `0042` is 34. Null for other names. */
function otherKey(key: Scalar): { at: number; what: string; correction: string } | null {
  const { source = "", range } = key;
  const read = otherText(key);
  const what = `has the name ${source}, which YAML reads as ${String(read)}`;
  return read === null ? null : { at: range?.[0] ?? 0, what, correction: `put it in quotes: "${source}"` };
}

/**
 * Documents that the parser takes and kubectl does not: a map or list as the name of a field, as `{{ }}` without quotes is read, and an alias of
 * nothing or of what holds it. Null if there is none.
 */
export function documentFault(source: string, document: Document): YamlFault | null {
  let fault: YamlFault | null = null;
  visit(document, {
    Pair(_key, { key }) {
      const read = isScalar(key) ? otherKey(key) : null;
      if (read !== null) {
        fault = toldAt(source, read.at, read.what, read.correction);
        return visit.BREAK;
      }
      if (!isCollection(key)) return undefined;
      const at = key.range?.[0] ?? 0;
      const isTemplate = (source.split("\n")[faultAt(source, at, "").line - 1] ?? "").includes("{{");
      fault = isTemplate
        ? faultAt(source, at, "")
        : toldAt(source, at, "has a list or map as the name of a field", "put a text with brackets in quotes");
      return visit.BREAK;
    },
    Node(_key, node, path) {
      if (!isAlias(node)) return undefined;
      const target = node.resolve(document);
      const at = node.range?.[0] ?? 0;
      const name = `*${node.source}`;
      if (target === undefined)
        fault = toldAt(source, at, `has ${name}, and no &${node.source} before it`, "put a text with * in quotes");
      else if (path.some((one) => isNode(one) && one === target))
        fault = toldAt(source, at, `has ${name} inside of what it stands for`, "write the value itself");
      return fault === null ? undefined : visit.BREAK;
    },
  });
  return fault;
}
