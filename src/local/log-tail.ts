import { readFileSync } from "node:fs";

const LINES = 12;
const LINE_LENGTH = 400;

/** The last lines of a log, each shortened; empty when there is none. */
export function logTail(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return "";
  }
  const lines = text.trimEnd().split("\n").slice(-LINES);
  return lines.map((line) => (line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)}…` : line)).join("\n");
}
