import { readFile } from "node:fs/promises";

export type Row = Record<string, string>;

/** Splits one line; a field in double quotes may hold commas. */
function split(line: string): string[] {
  const fields: string[] = [];
  for (const match of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)) {
    fields.push(match[1] === undefined ? (match[2] ?? "") : match[1].replaceAll('""', '"'));
  }
  return fields;
}

/** Rows of a CSV file by the names of its first line. */
export async function readCsv(path: string): Promise<Row[]> {
  const [head = "", ...lines] = (await readFile(path, "utf8")).split(/\r?\n/).filter((line) => line !== "");
  const names = split(head);
  return lines.map((line) => {
    const fields = split(line);
    return Object.fromEntries(names.map((name, index) => [name, fields[index] ?? ""]));
  });
}

/** The field, or an empty text where the file has no such column. */
export const field = (row: Row, name: string): string => row[name] ?? "";
