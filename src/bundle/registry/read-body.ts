import type { Readable } from "node:stream";
import { LandfallError } from "../../errors.ts";

/** The whole body, of at most `limit` bytes: a registry must not exhaust the memory. Throws BUNDLE_LIMIT. */
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

/** The first `limit` bytes of a body as text; what follows is not read. */
export async function readStart(body: Readable, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, limit - size));
    size += chunk.length;
    if (size >= limit) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}
