/**
 * Limits of one object that is decided. The largest objects of the two schemas that are of use have about a tenth of each; the API server
 * takes objects of 3 MiB.
 */
export const OBJECT_LIMITS = { characters: 1_572_864, nodes: 20_000, depth: 64 } as const;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** The index of the quote that ends the string which begins at `start`; the end of the text if there is none. */
export function endOfString(text: string, start: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let escapes = 0;
    while (text.charCodeAt(at - escapes - 1) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
}

/**
 * Whether a text of JSON holds more than `most` values, counted by its braces, brackets and commas without parsing it: parsed, three
 * characters can take sixty bytes. A text that is not JSON is counted in the same way.
 */
export function hasMoreValues(text: string, most: number): boolean {
  if (text.length <= most) return false;
  let count = 1;
  for (let at = 0; at < text.length && count <= most; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    // { and [ are 0x7b and 0x5b.
    else if (code === COMMA || (code | 0x20) === 0x7b) count += 1;
  }
  return count > most;
}
