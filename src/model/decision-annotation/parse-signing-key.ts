import { LandfallError } from "../../errors.ts";
import { type KeyRing, ringOf } from "./key-ring.ts";

export const SIGNING_KEY_BYTES = 32;

/** The ring of the one key that `file` holds. Throws `code` for one of fewer than SIGNING_KEY_BYTES. */
export function parseSigningKey(bytes: Uint8Array, file: string, code: "ADM_SIGNING_KEY" | "REL_SIGNING_KEY"): KeyRing {
  if (bytes.length >= SIGNING_KEY_BYTES) return ringOf(bytes);
  throw new LandfallError(code, { file, detail: `it has ${bytes.length} bytes, fewer than ${SIGNING_KEY_BYTES}` });
}
