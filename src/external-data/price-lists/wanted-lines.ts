import type { Body } from "./price-service.ts";

/** A longer line is passed on unfinished: the parser has a limit. */
const LONGEST = 64 * 1024;

export interface WantedLines {
  /** The name of the first column: the head is the first line that begins with it. */
  name: string;
  /** Lines below the head that lack one of these values are omitted. Only if the file has its values in quotes. */
  values: readonly string[];
  /** Gets each line above the head. */
  onAbove: (line: string) => void;
}

/**
 * A CSV file from its head on, without lines that are not wanted: parsing one takes ten times as long as looking for a text, and nine of
 * ten are not. The last line stays, so that an incomplete one is noticed.
 */
export async function* wantedLines(body: Body, { name, values, onAbove }: WantedLines): AsyncGenerator<Buffer> {
  const found: { head: boolean; wanted: readonly string[] } = { head: false, wanted: [] };
  let rest = "";
  const isPassed = (line: string): boolean => {
    if (found.head) return found.wanted.every((value) => line.includes(value));
    const isQuoted = line.startsWith(`"${name}",`);
    found.head = isQuoted || line.startsWith(`${name},`);
    if (isQuoted) found.wanted = values.map((value) => `"${value}"`);
    if (!found.head) onAbove(line);
    return found.head;
  };
  for await (const chunk of body) {
    // Latin-1 keeps every byte; names and prices are ASCII.
    const lines = (rest + chunk.toString("latin1")).split("\n");
    rest = lines.pop() ?? "";
    let kept = "";
    for (const line of lines) if (isPassed(line)) kept += `${line}\n`;
    if (rest.length > LONGEST) [kept, rest] = [kept + rest, ""];
    if (kept !== "") yield Buffer.from(kept, "latin1");
  }
  if (found.head) yield Buffer.from(rest, "latin1");
  else onAbove(rest);
}
