import Table from "cli-table3";
import type { Colors } from "picocolors/types.js";

/** A column's title and whether its values are numbers, which are aligned to the right. */
export type Column = readonly [title: string, alignment?: "right"];

const EDGES = ["top", "bottom"].flatMap((edge) => [edge, `${edge}-mid`, `${edge}-left`, `${edge}-right`]);
const LINES = [...EDGES, "left", "left-mid", "mid", "mid-mid", "right", "right-mid", "middle"];

/** The lines of a table without borders, under dim titles. */
export function plainTable(columns: readonly Column[], rows: readonly (readonly string[])[], colors: Colors): string[] {
  const table = new Table({
    head: columns.map(([title]) => colors.dim(title)),
    colAligns: columns.map(([, alignment]) => alignment ?? "left"),
    style: { head: [], border: [], compact: true, "padding-left": 0, "padding-right": 2 },
    chars: Object.fromEntries(LINES.map((name) => [name, ""])),
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd());
}
