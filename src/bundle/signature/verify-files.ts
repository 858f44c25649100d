import { LandfallError } from "../../errors.ts";
import { readRelease } from "../../model/bundle-format/bundle-release.ts";
import { unpackBundle } from "../../model/bundle-format/unpack-bundle.ts";
import { checkBundleFiles } from "./check-bundle-files.ts";
import type { Trust } from "./trust.ts";

/**
 * Who signed the files of a tarball by opa's `.signatures.json`; empty where the mode lets an unsigned one pass. An image
 * is vouched for by its own signature (`signed`), but a `.signatures.json` that is there has to be good all the same.
 * Throws BUNDLE_UNSIGNED, BUNDLE_SIGNATURE, BUNDLE_TAMPERED where files are not as they were signed, BUNDLE_UNREADABLE, BUNDLE_UNSAFE,
 * BUNDLE_CHANNEL for a bundle of another channel than that of `trust`.
 */
export function verifyFiles(bytes: Uint8Array, ref: string, trust: Trust, signed: boolean): string[] {
  if (trust.mode === "off") return [];
  const signers = signersOf(bytes, ref, trust, signed);
  checkChannel(bytes, ref, trust);
  return signers;
}

/** A signature says whose bundle it is, and not for which reference: one for dev can be served as that for prod. */
function checkChannel(bytes: Uint8Array, ref: string, { channel: wanted }: Trust): void {
  if (wanted === undefined) return;
  const { channel } = readRelease(bytes, ref);
  if (channel !== null && channel !== wanted) throw new LandfallError("BUNDLE_CHANNEL", { ref, channel, wanted });
}

function signersOf(bytes: Uint8Array, ref: string, trust: Trust, signed: boolean): string[] {
  const checked = checkBundleFiles(unpackBundle(bytes, ref), trust.keys);
  if (checked === null && !signed && trust.mode === "required") throw new LandfallError("BUNDLE_UNSIGNED", { ref });
  if (checked === null) return [];
  if ("signer" in checked) return [checked.signer];
  const code = checked.reason.startsWith("none of") ? "BUNDLE_SIGNATURE" : "BUNDLE_TAMPERED";
  throw new LandfallError(code, { ref, detail: checked.reason });
}
