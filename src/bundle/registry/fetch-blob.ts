import { LandfallError } from "../../errors.ts";
import { sha256Digest } from "../../model/sha256.ts";
import type { Descriptor } from "./fetch-image.ts";
import type { Registry } from "./open-registry.ts";
import type { Reference } from "./parse-reference.ts";

/**
 * The bytes of a descriptor, verified by digest. Throws BUNDLE_LIMIT if its size exceeds `limit`, BUNDLE_TAMPERED if
 * the registry's bytes differ in content or size.
 */
export async function fetchBlob(
  registry: Registry,
  reference: Reference,
  { digest, size }: Pick<Descriptor, "digest" | "size">,
  limit: number,
): Promise<Buffer> {
  const ref = `${reference.host}/${reference.repository}@${digest}`;
  if (size > limit)
    throw new LandfallError("BUNDLE_LIMIT", { ref, detail: `${String(size)} bytes are more than ${String(limit)}` });
  const bytes = await registry.get(reference, `blobs/${digest}`, { limit });
  const found = bytes === null ? "nothing" : sha256Digest(bytes);
  if (bytes !== null && found === digest) return bytes;
  const length = String(bytes?.length ?? 0);
  throw new LandfallError("BUNDLE_TAMPERED", {
    ref,
    detail: `the registry serves ${length} of ${String(size)} bytes, ${found}`,
  });
}
