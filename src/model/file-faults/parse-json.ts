import { shownLine } from "./shown-line.ts";

/** The place that the message of the engine names. */
const POSITION = /at position (\d+)/;

/** The fault of a text that is not JSON, by the error of its parser. */
export function jsonFault(text: string, thrown: unknown): string {
  if (text.trim() === "") return "it is empty, and not JSON";
  const at = POSITION.exec(thrown instanceof Error ? thrown.message : "")?.[1];
  const before = text.slice(0, at === undefined ? text.trimEnd().length : Number(at)).split("\n");
  const line = text.split("\n")[before.length - 1] ?? "";
  const place = `line ${String(before.length)}, column ${String((before.at(-1)?.length ?? 0) + 1)}`;
  return `${place}: ${shownLine(line)} is not JSON; look for a comma, a quote or a bracket that is missing or too many`;
}
