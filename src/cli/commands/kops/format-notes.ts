import type { Note } from "../../../kops/types.ts";

/** What did not come along, a line each. */
export function formatNotes(title: string, notes: readonly Note[]): string {
  if (notes.length === 0) return "";
  const width = Math.max(...notes.map(({ code }) => code.length));
  const lines = notes.map(({ code, message }) => `  ${code.padEnd(width)}  ${message}\n`);
  return `${title}\n${lines.join("")}`;
}
