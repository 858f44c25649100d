import type { Colors } from "picocolors/types.js";
import { type Column, plainTable } from "./plain-table.ts";

/** A column of a table: its head, and a value's text. The third entry is true for columns of `-o wide` alone. */
export type ListColumn<T> = readonly [column: Column, text: (value: T) => string, wide?: true];

/** Values as the rows of a table; no text where there are none. */
export function listText<T>(
  columns: readonly ListColumn<T>[],
  values: readonly T[],
  isWide: boolean,
  colors: Colors,
): string {
  if (values.length === 0) return "";
  const shown = columns.filter(([, , wide]) => wide !== true || isWide);
  const heads = shown.map(([column]) => column);
  const rows = values.map((value) => shown.map(([, text]) => text(value)));
  return `${plainTable(heads, rows, colors).join("\n")}\n`;
}
