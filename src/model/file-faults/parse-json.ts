import { commentIn } from "./json-comment.ts";
import { shownLine } from "./yaml-fault.ts";

/** The place that the message of the engine names. */
const POSITION = /at position (\d+)/;

/** `line 2, column 4: "// a"`. */
function placed(text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  const line = text.split("\n")[before.length - 1] ?? "";
  return `line ${String(before.length)}, column ${String((before.at(-1)?.length ?? 0) + 1)}: ${shownLine(line)}`;
}

/** The habit of another language that the parser stops at, and what to write instead. */
function wordsAt(text: string, at: number): string {
  const before = text.slice(0, at).trimEnd();
  const next = text.slice(at, at + 1);
  if (next === "'") return 'has a text in single quotes; write " instead';
  if (/[\]}]/.test(next) && before.endsWith(",")) return "has a comma before a closing bracket; remove it";
  if (/[A-Za-z_]/.test(next) && /[{,]$/.test(before)) return "has a name without quotes; put it in double quotes";
  return "is not JSON; look for a comma, a quote or a bracket that is missing or too many";
}

/** The fault of a text that is not JSON, by the error of its parser. */
export function jsonFault(text: string, thrown: unknown): string {
  if (text.trim() === "") return "it is empty, and not JSON";
  const position = POSITION.exec(thrown instanceof Error ? thrown.message : "")?.[1];
  const at = position === undefined ? text.trimEnd().length : Number(position);
  const comment = commentIn(text);
  return comment !== null && comment <= at
    ? `${placed(text, comment)} has a comment, which JSON does not have; remove it`
    : `${placed(text, at)} ${wordsAt(text, at)}`;
}
