import type { Readable } from "node:stream";

/**
 * Bytes of a review that are kept. A review holds object and old object, each of at most 1.5 MiB where it was stored;
 * the API server writes `<`, `>` and `&` with six characters.
 */
export const BODY_LIMIT = 7 * 1024 * 1024;
/** Of a longer review this much is kept: the API server writes its uid first. */
const HEAD = 4096;
/** The first size of the buffer of a body in several pieces, in bytes. */
const FIRST = 16 * 1024;

export interface ReceivedBody {
  /** The whole body, or its beginning. */
  text: string;
  whole: boolean;
}

/**
 * Bytes in a row, in one buffer that doubles: pieces of a few bytes would take many times their size as texts. Most bodies are one piece,
 * which stays where it is: V8 collects its whole heap each time that some MiB of new buffers were allocated.
 */
function collectBytes() {
  let buffer: Buffer = Buffer.alloc(0);
  let length = 0;
  return {
    add(piece: Buffer): void {
      if (length === 0) {
        buffer = piece;
        length = piece.length;
        return;
      }
      if (length + piece.length > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(FIRST, 2 * buffer.length, length + piece.length));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      piece.copy(buffer, length);
      length += piece.length;
    },
    length: () => length,
    text: (most = length) => buffer.toString("utf8", 0, most),
  };
}

/** Reads a body to its end, so that the caller gets its answer, but keeps no more than the limit. Rejects if the caller aborts. */
export function receiveBody(payload: Readable): Promise<ReceivedBody> {
  return new Promise((resolve, reject) => {
    const bytes = collectBytes();
    let head: string | null = null;
    payload.on("data", (piece: Buffer) => {
      if (head !== null) return;
      if (bytes.length() + piece.length <= BODY_LIMIT) bytes.add(piece);
      else head = (bytes.text() + piece.toString("utf8")).slice(0, HEAD);
    });
    payload.once("end", () => {
      resolve(head === null ? { text: bytes.text(), whole: true } : { text: head, whole: false });
    });
    payload.once("error", reject);
  });
}
