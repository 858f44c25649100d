/** A text without what another notation left at its end. */
interface Tidied {
  text: string;
  problem: string;
}

const COMMENT = /^([^\s#/]{1,100})\s{0,4}(?:\/\/|#).{0,200}$/;
const ENDED = /^(.{0,200}[^\s,;])\s{0,4}([,;])$/;

/** Quotes of editors of texts and other languages, which YAML reads as part of the text, and quotes within quotes. */
const QUOTED =
  /^["'`\u00b4\u2018-\u201f\u2039\u203a\u00ab\u00bb]{1,2}([^"'`\u2018-\u201f]{1,100})["'`\u00b4\u2018-\u201f\u2039\u203a\u00ab\u00bb]{1,2}$/;

/** `“2”` and `"'2'"` without the quotes that belong to the text; null for other texts. */
function unquoted(text: string): Tidied | null {
  const inner = QUOTED.exec(text)?.[1]?.trim();
  if (inner === undefined || inner === "") return null;
  const isOrdinary = /^["']/.test(text);
  const problem = isOrdinary ? "has quotes within its quotes" : "has quotes that YAML does not know";
  return { text: inner, problem };
}

/** `2,` of JSON, and of a field that takes no longer texts `2 // two` and `2#two`; a text in quotes of its own; null for other texts. */
export function tidyText(written: string, isShort: boolean): Tidied | null {
  const text = written.trim();
  const inner = unquoted(text);
  if (inner !== null) return inner;
  const [, ended, sign] = ENDED.exec(text) ?? [];
  if (ended !== undefined && sign !== undefined)
    return { text: ended, problem: `has a ${sign === "," ? "comma" : "semicolon"} at its end` };
  const [, value] = (isShort ? COMMENT.exec(text) : null) ?? [];
  return value === undefined ? null : { text: value, problem: "holds a comment: in YAML it begins with a space and #" };
}
