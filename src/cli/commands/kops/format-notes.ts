import type { Note } from "../../../kops/types.ts";

/** Losses, one per line. */
export function formatNotes(title: string, notes: readonly Note[]): string {
  if (notes.length === 0) return "";
  const width = Math.max(...notes.map(({ code }) => code.length));
  const lines = notes.map(({ code, message }) => `  ${code.padEnd(width)}  ${message}\n`);
  return `${title}\n${lines.join("")}`;
}
