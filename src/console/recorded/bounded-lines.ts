/**
 * The lines of a text that comes in parts; null in place of one with more characters than `most`, of which no more is kept. The end of a
 * line is `\n`, with or without `\r` before it.
 */
export async function* boundedLines(parts: AsyncIterable<string>, most: number): AsyncGenerator<string | null> {
  let line: string | null = "";
  for await (const part of parts) {
    const pieces = part.split("\n");
    for (const [at, piece] of pieces.entries()) {
      if (at > 0) {
        yield line;
        line = "";
      }
      line = line === null || line.length + piece.length > most ? null : line + piece;
    }
  }
  yield line;
}
