const LENGTH = 200;

/** A service's error as one short line; an HTML page is not useful. */
export function shortDetail(text: string): string {
  const plain = text.trimStart().startsWith("<") ? "" : text;
  return plain.replace(/\s+/g, " ").trim().slice(0, LENGTH);
}
