import { type Document, isAlias, isCollection, isNode, isScalar, type Scalar, visit } from "yaml";
import { gluedName } from "../text/glued-name.ts";
import { faultAt, shownLine, type YamlFault } from "./yaml-fault.ts";

/** The number or boolean, as text, that YAML reads where a file without quotes has another text; null for other values. */
export function otherText({ source, type, value }: Scalar): string | null {
  if (type !== "PLAIN" || (typeof value !== "number" && typeof value !== "boolean")) return null;
  return source === undefined || source === String(value) ? null : String(value);
}

const BY_VALUES = "write the values themselves";

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

/** The fault of a name within brackets that has swallowed its value, for want of a space: `{cpu:2}`. Null for other names. */
function gluedKey(key: Scalar): { at: number; what: string; correction: string } | null {
  const { source = "", range, type } = key;
  const glued = type === "PLAIN" ? gluedName(source) : null;
  if (glued === null) return null;
  const correction = /\s/.test(glued.text)
    ? "write one after each colon, and a comma between fields"
    : `write ${glued.name}: ${glued.text}`;
  return { at: range?.[0] ?? 0, what: "has no space after a colon", correction };
}

/** Spaces that YAML does not take as such. */
const OTHER_SPACE = /[\u00a0\u2000-\u200b\u202f\u3000\ufeff]/;
const OTHER_QUOTES = /^[\u2018-\u201f\u00ab\u00bb]/;

/** The fault of a name with signs that an editor of texts writes: other spaces and other quotes. Null for other names. */
function typesetKey(key: Scalar): { at: number; what: string; correction: string } | null {
  const { source = "", range, type } = key;
  if (type !== "PLAIN") return null;
  const at = range?.[0] ?? 0;
  const space = source.search(OTHER_SPACE);
  if (space >= 0)
    return {
      at: at + space,
      what: "has a space of another kind, as editors of texts write",
      correction: "write an ordinary space",
    };
  return OTHER_QUOTES.test(source)
    ? { at, what: "has quotes that YAML does not know", correction: `write " or ', or no quotes` }
    : null;
}

/** The fault of a name; null for others. */
const ofKey = (key: Scalar, hasValue: boolean): ReturnType<typeof otherKey> =>
  otherKey(key) ?? (hasValue ? null : gluedKey(key)) ?? typesetKey(key);

/** An alias whose anchor is missing, stands after it, or in an earlier document. */
function withoutAnchor(source: string, at: number, name: string): YamlFault {
  const [before, after] = [source.slice(0, at), source.slice(at)].map((part) => part.split(/\s/).includes(`&${name}`));
  if (before) return toldAt(source, at, `has *${name}, and &${name} stands in another document`, BY_VALUES);
  if (after) return toldAt(source, at, `has *${name}, and &${name} stands after it`, BY_VALUES);
  const correction = /^[\w-]+$/.test(name)
    ? `${BY_VALUES}, or put a text with * in quotes`
    : "put a text with * in quotes";
  return toldAt(source, at, `has *${name}, and no &${name} before it`, correction);
}

/**
 * Documents that the parser takes and kubectl does not: a map or list as the name of a field, as `{{ }}` without quotes is read, and an alias of
 * nothing or of what holds it. Null if there is none.
 */
export function documentFault(source: string, document: Document): YamlFault | null {
  let fault: YamlFault | null = null;
  visit(document, {
    Pair(_key, { key, value }) {
      const read = isScalar(key) ? ofKey(key, value !== null) : null;
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
      if (target === undefined) fault = withoutAnchor(source, at, node.source);
      else if (path.some((one) => isNode(one) && one === target))
        fault = toldAt(source, at, `has ${name} inside of what it stands for`, "write the value itself");
      return fault === null ? undefined : visit.BREAK;
    },
  });
  return fault;
}
