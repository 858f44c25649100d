import { LandfallError } from "../../errors.ts";
import { unpackBundle } from "../../model/bundle-format/unpack-bundle.ts";
import { checkBundleFiles } from "./check-bundle-files.ts";
import type { Trust } from "./trust.ts";

/**
 * Who signed the files of a tarball by opa's `.signatures.json`; empty where the mode lets an unsigned one pass. An image
 * is vouched for by its own signature (`signed`), but a `.signatures.json` that is there has to be good all the same.
 * Throws BUNDLE_UNSIGNED, BUNDLE_SIGNATURE, BUNDLE_TAMPERED where files are not as they were signed, BUNDLE_UNREADABLE, BUNDLE_UNSAFE.
 */
export function verifyFiles(bytes: Uint8Array, ref: string, trust: Trust, signed: boolean): string[] {
  if (trust.mode === "off") return [];
  const checked = checkBundleFiles(unpackBundle(bytes, ref), trust.keys);
  if (checked === null && !signed && trust.mode === "required") throw new LandfallError("BUNDLE_UNSIGNED", { ref });
  if (checked === null) return [];
  if ("signer" in checked) return [checked.signer];
  const code = checked.reason.startsWith("none of") ? "BUNDLE_SIGNATURE" : "BUNDLE_TAMPERED";
  throw new LandfallError(code, { ref, detail: checked.reason });
}
