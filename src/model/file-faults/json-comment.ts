import { faultAt, shownLine, type YamlFault } from "./yaml-fault.ts";

/** The place of the next comment or text in quotes, from here on; null if there is none. */
function nextMark(text: string, from: number): number | null {
  const found = text.slice(from).search(/["']|\/[/*]/);
  return found < 0 ? null : from + found;
}

/** The place after a text in quotes that begins here: a line's end closes one that is open. */
function afterQuotes(text: string, start: number): number {
  for (let at = start + 1; at < text.length && text[at] !== "\n"; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === text[start]) return at + 1;
  }
  const end = text.indexOf("\n", start);
  return end < 0 ? text.length : end;
}

/** `https://` has its slashes after a colon, `a/*` after a letter: a comment stands after a space, a comma or a bracket. */
const isComment = (text: string, at: number): boolean => at === 0 || /[\s,[\]{}"\d]/.test(text[at - 1] ?? "");

/** The place of the first comment in JSON; null if there is none. */
export function commentIn(text: string): number | null {
  for (let at = nextMark(text, 0); at !== null;) {
    if (text[at] === "/" && isComment(text, at)) return at;
    at = nextMark(text, text[at] === "/" ? at + 1 : afterQuotes(text, at));
  }
  return null;
}

/** Whether the text after comments at its beginning is a map or list of JSON, with a name or an item in quotes. */
function isJson(text: string): boolean {
  const rest = text.replace(/^\s*(?:\/\/[^\n]*\s*){0,50}/, "");
  return /^[[{]\s*(?:["[{]|\/[/*])/.test(rest);
}

/** The first comment in a JSON text, which YAML reads as part of a name; null if there is none. */
export function commentFault(source: string): YamlFault | null {
  const at = isJson(source) ? commentIn(source) : null;
  if (at === null) return null;
  const fault = faultAt(source, at, "");
  const line = shownLine(source.split("\n")[fault.line - 1] ?? "");
  return {
    ...fault,
    detail: `${line} has a comment, which JSON does not have`.trim(),
    correction: "remove it, or write the file as YAML, where # begins a comment",
  };
}
