import { type AST, RegExpParser } from "@eslint-community/regexpp";
import { getFirstConsumedChar, type ReadonlyFlags } from "regexp-ast-analysis";
import { analyse } from "scslre";

/** A quantifier with a larger maximum counts as unbounded. */
const BOUNDED = 1024;

const isUnbounded = (element: AST.Element): boolean =>
  (element.type === "Quantifier" && element.max > BOUNDED) ||
  partsOf(element).some((part) => part.elements.some(isUnbounded));

const partsOf = (element: AST.Element): readonly AST.Alternative[] => {
  if (element.type === "Quantifier") return partsOf(element.element);
  return element.type === "Group" || element.type === "CapturingGroup" ? element.alternatives : [];
};

/** Whether a match can fail at this element. */
function canFail(element: AST.Element): boolean {
  if (element.type === "Quantifier") return element.min > 0;
  if (element.type === "Assertion" && element.kind === "lookahead") return true;
  const parts = partsOf(element);
  return parts.length === 0 || parts.every(({ elements }) => elements.some(canFail));
}

/** Whether an alternative can only match at one place of the text. */
const isAnchored = ({ elements: [first] }: AST.Alternative, multiline: boolean): boolean =>
  first !== undefined &&
  ((first.type === "Assertion" && first.kind === "start" && !multiline) ||
    (first.type !== "Quantifier" &&
      partsOf(first).length > 0 &&
      partsOf(first).every((one) => isAnchored(one, multiline))));

/** Whether something can fail after an unbounded repetition: from each start, the repetition is then read again. */
function rereads(alternative: AST.Alternative): boolean {
  const { elements } = alternative;
  return elements.some(
    (element, index) =>
      (isUnbounded(element) && elements.slice(index + 1).some(canFail)) || partsOf(element).some(rereads),
  );
}

/** Whether an unbounded repetition has alternatives that begin with the same character: scslre does not compare those. */
function overlaps(element: AST.Element, flags: ReadonlyFlags): boolean {
  const parts = partsOf(element);
  const firsts = parts.map((part) => getFirstConsumedChar(part, "ltr", flags).char);
  const shared = firsts.some((one, index) => firsts.slice(index + 1).some((other) => !one.isDisjointWith(other)));
  return (
    (element.type === "Quantifier" && element.max > BOUNDED && shared) ||
    parts.some(({ elements }) => elements.some((inner) => overlaps(inner, flags)))
  );
}

/**
 * Why the time of a regular expression may grow faster than the length of its text; null if it does not. Three rules: scslre
 * finds repetitions that can divide the same text in several ways. Alternatives of a repetition must begin with
 * different characters. An expression that is not anchored must not be able to
 * fail after an unbounded repetition.
 */
export function superlinear(source: string, flags: string): string | null {
  const { reports } = analyse({ source, flags });
  const [report] = reports.filter(({ type }) => type !== "Move");
  if (report !== undefined) return `${report.type.toLowerCase()}: repetitions divide the same text in several ways`;
  const unicode = flags.includes("u");
  const read = { unicode, ignoreCase: flags.includes("i"), dotAll: flags.includes("s") };
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, { unicode });
  if (pattern.alternatives.some(({ elements }) => elements.some((element) => overlaps(element, read))))
    return "alternatives of a repetition begin with the same character";
  const multiline = flags.includes("m");
  const open = pattern.alternatives.filter((alternative) => !isAnchored(alternative, multiline));
  if (flags.includes("y") || !open.some(rereads)) return null;
  return "it can fail after an unbounded repetition, at each start; anchor it, or bound the repetition";
}
