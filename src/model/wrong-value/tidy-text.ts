/** A text without what another notation left at its end. */
interface Tidied {
  text: string;
  problem: string;
}

const COMMENT = /^([^\s#/]{1,100})\s{0,4}(?:\/\/|#).{0,200}$/;
const ENDED = /^(.{0,200}[^\s,;])\s{0,4}([,;])$/;

/** `2,` of JSON, and of a field that takes no longer texts `2 // two` and `2#two`; null for other texts. */
export function tidyText(written: string, isShort: boolean): Tidied | null {
  const text = written.trim();
  const [, ended, sign] = ENDED.exec(text) ?? [];
  if (ended !== undefined && sign !== undefined)
    return { text: ended, problem: `has a ${sign === "," ? "comma" : "semicolon"} at its end` };
  const [, value] = (isShort ? COMMENT.exec(text) : null) ?? [];
  return value === undefined ? null : { text: value, problem: "holds a comment: in YAML it begins with a space and #" };
}
