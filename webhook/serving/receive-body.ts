import type { Readable } from "node:stream";

/**
 * Characters of a review that are kept. A review holds object and old object, each of at most 1.5 MiB where it was stored;
 * the API server writes `<`, `>` and `&` with six characters.
 */
export const BODY_LIMIT = 7 * 1024 * 1024;
/** Of a longer review this much is kept: the API server writes its uid first. */
const HEAD = 4096;

export interface ReceivedBody {
  /** The whole body, or its beginning. */
  text: string;
  whole: boolean;
}

/** Reads a body to its end, so that the caller gets its answer, but keeps no more than the limit. Rejects if the caller aborts. */
export function receiveBody(payload: Readable): Promise<ReceivedBody> {
  return new Promise((resolve, reject) => {
    let text = "";
    let whole = true;
    payload.setEncoding("utf8");
    payload.on("data", (chunk: string) => {
      if (!whole) return;
      text += chunk;
      whole = text.length <= BODY_LIMIT;
      if (!whole) text = text.slice(0, HEAD);
    });
    payload.once("end", () => {
      resolve({ text, whole });
    });
    payload.once("error", reject);
  });
}
