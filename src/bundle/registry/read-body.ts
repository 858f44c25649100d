import type { Readable } from "node:stream";
import { LandfallError } from "../../errors.ts";

/** The whole body, of at most `limit` bytes: a registry must not be able to fill the memory. Throws BUNDLE_LIMIT. */
export async function readBody(body: Readable, ref: string, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit)
      throw new LandfallError("BUNDLE_LIMIT", { ref, detail: `it is larger than ${String(limit)} bytes` });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
